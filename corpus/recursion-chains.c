// Functions call each other, with memory that the calls change and with loops around them.
//@ loops: 1
//@ holds: termination (precision)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int subtract(int a, int b) {
    if (a <= 0 || b <= 0)
        return 0;
    return a > b ? subtract(a - b, b) : subtract(b - 1, a);
}

static int sum(int n) {
    if (n <= 0)
        return 0;
    int left = sum(n - 1);
    //@ terminates (precision)
    while (left > 0)
        left--;
    return n + sum(n - 2);
}

int main(void) {
    sum(__VERIFIER_nondet_int());
    return subtract(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
}
