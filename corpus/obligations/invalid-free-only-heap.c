// clean
// A buffer is freed only if it is not the one on the stack.

#include <stdlib.h>

int main(void) {
    char small[16], *buffer = small;
    unsigned size = 8;
    if (size > sizeof small)
        buffer = malloc(size);
    buffer[0] = 'x';
    if (buffer != small)
        free(buffer);
    return 0;
}
