// trips: signed-overflow at line 7
// The lowest int has no negation.

#include <limits.h>

static int absolute(int x) {
    return x < 0 ? -x : x;
}

int main(void) {
    int sum = 0;
    for (int x = INT_MIN + 1; x < 0; x += 1 << 30)
        sum ^= absolute(x);
    return sum == absolute(INT_MIN);
}
