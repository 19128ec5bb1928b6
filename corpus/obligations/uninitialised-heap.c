// trips: uninitialised at line 14
// One element of a heap block is never written.

#include <stdlib.h>

int main(void) {
    int *values = malloc(4 * sizeof *values);
    int count = 0;
    if (values == NULL)
        return 1;
    for (int i = 0; i < 3; i++)
        values[i] = i;
    for (int i = 0; i < 4; i++)
        if (values[i] > 1)
            count++;
    free(values);
    return count;
}
