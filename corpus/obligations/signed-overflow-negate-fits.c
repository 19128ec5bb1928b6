// clean
// All other ints have one.

#include <limits.h>

static int absolute(int x) {
    return x < 0 ? -x : x;
}

int main(void) {
    return absolute(INT_MIN + 1) != INT_MAX;
}
