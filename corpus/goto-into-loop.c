// A jump into the middle of a loop: the flow graph is irreducible.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int i = 0, visits = 0;
    if (__VERIFIER_nondet_int())
        goto middle;
    while (i < 5) {
        visits++;
    middle:
        i++;
    }
    assert(visits == 4 || visits == 5);
    return 0;
}
