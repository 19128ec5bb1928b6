// trips: out-of-bounds at line 11
// More bytes are set than the block on the heap has.

#include <stdlib.h>
#include <string.h>

int main(void) {
    int *values = malloc(4 * sizeof *values);
    if (values == NULL)
        return 1;
    memset(values, 0, 5 * sizeof *values);
    free(values);
    return 0;
}
