// clean
// A heap block has room for the terminator, too.

#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *text = "hello";
    size_t length = strlen(text);
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return 1;
    for (size_t i = 0; i <= length; i++)
        copy[i] = text[i];
    free(copy);
    return 0;
}
