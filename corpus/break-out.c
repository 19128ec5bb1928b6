// Two ways out: the bound, and what is looked for.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: memsafety (precision)
//@ holds: termination (precision)
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int table[5] = {2, 7, 1, 8, 2}, key = __VERIFIER_nondet_int(), found = -1;
    //@ terminates (precision)
    //@ bound: 5 (precision)
    for (int i = 0; i < 5; i++)
        if (table[i] == key) {
            found = i;
            break;
        }
    assert(found < 0 || table[found] == key);
    return 0;
}
