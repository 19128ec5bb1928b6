// clean
// A counter stops at the largest int.

#include <limits.h>

int main(void) {
    int i;
    for (i = INT_MAX - 3; i < INT_MAX; i++)
        ;
    return i != INT_MAX;
}
