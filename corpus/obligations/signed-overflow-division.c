// trips: signed-overflow at line 9
// The lowest int divided by minus one does not fit.

#include <limits.h>

int main(void) {
    int divisors[4] = {3, 2, 1, -1}, sum = 0;
    for (int i = 0; i < 4; i++)
        sum ^= INT_MIN / divisors[i];
    return sum == 1;
}
