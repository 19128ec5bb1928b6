// trips: dangling at line 14
// A pointer from before a reallocation is used after it.

#include <stdlib.h>

int main(void) {
    int *values = malloc(sizeof *values);
    if (values == NULL)
        return 1;
    int *first = values;
    values = realloc(values, 100000 * sizeof *values);
    if (values == NULL)
        return 1;
    *first = 1;
    free(values);
    return 0;
}
