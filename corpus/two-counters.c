// Two counters meet.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: no-overflow (precision)
//@ holds: termination (precision)
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int low = 0, high = __VERIFIER_nondet_int();
    if (high < 0 || high > 1000)
        return 0;
    int sum = high;
    //@ terminates (precision)
    //@ bound: (high + 1) / 2 (precision)
    for (; low < high; low++, high--)
        assert(low + high == sum);
    return 0;
}
