// trips: invalid-free at line 12
// Two table entries share a block, and both are freed.

#include <stdlib.h>

int main(void) {
    char *table[3];
    for (int i = 0; i < 2; i++)
        table[i] = malloc(4);
    table[2] = table[0];
    for (int i = 0; i < 3; i++)
        free(table[i]);
    return 0;
}
