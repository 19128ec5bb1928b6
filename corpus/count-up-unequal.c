// A counter that may start beyond its goal: unsigned integers come round to it, after a long way.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
    //@ terminates (precision)
    //@ bound: n - i (precision)
    while (i != n)
        i++;
    assert(i == n);
    return 0;
}
