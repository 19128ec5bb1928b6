// The hand of a clock: what it holds is the remainder of how often it was moved.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned hours = __VERIFIER_nondet_uint(), hand = 0;
    //@ terminates (precision)
    //@ bound: hours (precision)
    for (unsigned hour = 0; hour < hours; hour++)
        hand = (hand + 1) % 12;
    assert(hand == hours % 12);
    return 0;
}
