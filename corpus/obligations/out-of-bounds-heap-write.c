// trips: out-of-bounds at line 14
// The terminator of a string is written past the end of its heap block.

#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *text = "hello";
    size_t length = strlen(text);
    char *copy = malloc(length);
    if (copy == NULL)
        return 1;
    for (size_t i = 0; i <= length; i++)
        copy[i] = text[i];
    free(copy);
    return 0;
}
