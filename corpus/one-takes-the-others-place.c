// Two numbers that depend on each other and move evenly together.
//@ loops: 1
//@ holds: unreach-call (precision)
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), x = 3, y = 5;
    if (n < 0 || n > 1000)
        return 0;
    //@ bound: n (precision)
    for (int k = 0; k < n; k++) {
        int next = 2 * y - x;
        x = y;
        y = next;
    }
    assert(x == 3 + 2 * n);
    return 0;
}
