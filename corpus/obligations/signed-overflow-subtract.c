// trips: signed-overflow at line 9
// A difference leaves the range of long.

#include <limits.h>

int main(void) {
    long low = LONG_MIN + 3;
    for (int i = 0; i < 5; i++)
        low -= 1;
    return low == 0;
}
