// clean
// A loop fills a heap buffer and terminates it.

#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(7);
    if (text == NULL)
        return 1;
    for (int i = 0; i < 6; i++)
        text[i] = (char)('a' + i);
    text[6] = '\0';
    int found = strchr(text, 'z') != NULL;
    free(text);
    return found;
}
