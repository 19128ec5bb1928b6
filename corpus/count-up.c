// The plainest loop: a counter runs from zero to an input.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: no-overflow (precision)
//@ holds: termination (precision)
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0;
    if (n < 0)
        return 0;
    //@ terminates (precision)
    //@ bound: n (precision)
    while (i < n)
        i++;
    assert(i == n);
    return 0;
}
