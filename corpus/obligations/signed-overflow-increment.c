// trips: signed-overflow at line 8
// A counter goes beyond the largest int.

#include <limits.h>

int main(void) {
    int i;
    for (i = INT_MAX - 3; i > 0; i++)
        ;
    return i == 0;
}
