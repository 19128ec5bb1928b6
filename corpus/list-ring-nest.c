// A walk round a ring, and from every cell another one to its end: the nest of section 6 of the paper on variance analyses.
//@ loops: 3
//@ holds: termination (precision)
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
    struct cell *outer = ring->next;
    //@ terminates (precision)
    while (outer != ring) {
        struct cell *inner = outer;
        outer = outer->next;
        if (__VERIFIER_nondet_int())
            //@ terminates (precision)
            while (inner != ring)
                inner = inner->next;
    }
    return 0;
}
