// The body of a `do` runs before its condition is asked.
//@ loops: 1
//@ fails: unreach-call (soundness)
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), count = 0;
    if (n > 5)
        n = 5;
    do
        count++;
    while (count < n);
    assert(count == n);
    return 0;
}
