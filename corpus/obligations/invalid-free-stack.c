// trips: invalid-free at line 12
// A buffer on the stack is freed.

#include <stdlib.h>

int main(void) {
    char small[16], *buffer = small;
    unsigned size = 8;
    if (size > sizeof small)
        buffer = malloc(size);
    buffer[0] = 'x';
    free(buffer);
    return 0;
}
