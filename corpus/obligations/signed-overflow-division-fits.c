// clean
// One more than the lowest int divided by minus one fits.

#include <limits.h>

int main(void) {
    int divisors[4] = {3, 2, 1, -1}, sum = 0;
    for (int i = 0; i < 4; i++)
        sum ^= (INT_MIN + 1) / divisors[i];
    return sum == 1;
}
