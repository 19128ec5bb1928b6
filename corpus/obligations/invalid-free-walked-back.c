// clean
// A pointer that has walked through its block goes back before it is freed.

#include <stdlib.h>

int main(void) {
    char *text = malloc(4);
    if (text == NULL)
        return 1;
    for (int i = 0; i < 3; i++)
        *text++ = 'x';
    free(text - 3);
    return 0;
}
