// The inner bound is the outer counter.
//@ loops: 2
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uchar(), count = 0;
    //@ terminates (precision)
    //@ bound: n (precision)
    for (unsigned i = 0; i < n; i++)
        //@ terminates (precision)
        //@ bound: i (precision)
        for (unsigned j = 0; j < i; j++)
            count++;
    assert(2 * count == n * n - n);
    return 0;
}
