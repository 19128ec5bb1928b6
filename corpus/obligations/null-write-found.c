// clean
// The result of a search that found something is written through.

#include <string.h>

int main(void) {
    char text[] = "key=value";
    char *separator = strchr(text, '=');
    *separator = '\0';
    return text[0] - 'k';
}
