// clean
// A heap block from calloc is all zeros.

#include <stdlib.h>

int main(void) {
    int *values = calloc(4, sizeof *values);
    int count = 0;
    if (values == NULL)
        return 1;
    for (int i = 0; i < 3; i++)
        values[i] = i;
    for (int i = 0; i < 4; i++)
        if (values[i] > 1)
            count++;
    free(values);
    return count - 1;
}
