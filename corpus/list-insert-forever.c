// A walk may put a new cell before every step: it need not end.
//@ loops: 2
//@ fails: termination (soundness)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node *first = NULL;
    int count = __VERIFIER_nondet_int();
    //@ terminates (precision)
    for (int i = 0; i < count; i++) {
        struct node *made = malloc(sizeof *made);
        made->next = first;
        first = made;
    }
    //@ diverges (soundness)
    for (struct node *now = first; now; now = now->next)
        if (__VERIFIER_nondet_int()) {
            struct node *made = malloc(sizeof *made);
            made->next = now->next;
            now->next = made;
        }
    return 0;
}
