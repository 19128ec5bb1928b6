// clean
// The shared entry is cleared before it is freed again.

#include <stdlib.h>

int main(void) {
    char *table[3];
    for (int i = 0; i < 2; i++)
        table[i] = malloc(4);
    table[2] = NULL;
    for (int i = 0; i < 3; i++)
        free(table[i]);
    return 0;
}
