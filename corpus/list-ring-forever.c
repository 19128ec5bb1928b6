// A ring is walked as if it had an end.
//@ loops: 2
//@ fails: termination (precision)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct cell {
    struct cell *next;
    int value;
};

int main(void) {
    int count = __VERIFIER_nondet_int();
    struct cell *ring = malloc(sizeof *ring);
    ring->next = ring;
    //@ terminates (precision)
    for (int i = 0; i < count; i++) {
        struct cell *made = malloc(sizeof *made);
        made->next = ring->next;
        ring->next = made;
    }
    //@ diverges (precision)
    for (struct cell *walk = ring; walk; walk = walk->next)
        walk->value = 1;
    return 0;
}
