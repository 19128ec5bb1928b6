// clean
// A difference reaches the lowest long and goes no further.

#include <limits.h>

int main(void) {
    long low = LONG_MIN + 3;
    for (int i = 0; i < 3; i++)
        low -= 1;
    return low != LONG_MIN;
}
