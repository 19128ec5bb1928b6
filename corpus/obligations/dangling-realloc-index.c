// clean
// After a reallocation the new pointer is used.

#include <stdlib.h>

int main(void) {
    int *values = malloc(sizeof *values);
    if (values == NULL)
        return 1;
    values = realloc(values, 100000 * sizeof *values);
    if (values == NULL)
        return 1;
    values[0] = 1;
    free(values);
    return 0;
}
