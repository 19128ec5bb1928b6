// trips: string-termination at line 13
// A loop fills a heap buffer and forgets the terminator.

#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(6);
    if (text == NULL)
        return 1;
    for (int i = 0; i < 6; i++)
        text[i] = (char)('a' + i);
    int found = strchr(text, 'z') != NULL;
    free(text);
    return found;
}
