/* Counts in twos. Run `loopscope verify --property unreach-call examples/invariant.c`. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0;
    while (i < n && i < 1000000)
        i = i + 2;
    assert(i <= 1000000);
    return 0;
}
