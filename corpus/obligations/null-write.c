// trips: null at line 9
// The result of a search that found nothing is written through.

#include <string.h>

int main(void) {
    char text[] = "key value";
    char *separator = strchr(text, '=');
    *separator = '\0';
    return text[0] - 'k';
}
