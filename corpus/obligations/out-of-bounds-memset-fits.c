// clean
// All bytes of a block on the heap are set.

#include <stdlib.h>
#include <string.h>

int main(void) {
    int *values = malloc(4 * sizeof *values);
    if (values == NULL)
        return 1;
    memset(values, 0, 4 * sizeof *values);
    int result = values[3];
    free(values);
    return result;
}
