// Cells are taken out of a list while it is walked, and freed.
//@ loops: 2
//@ holds: termination (precision)
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
    //@ bound: count (soundness)
    for (int i = 0; i < count; i++) {
        struct node *made = malloc(sizeof *made);
        made->value = __VERIFIER_nondet_int();
        made->next = first;
        first = made;
    }
    struct node *before = NULL, *now = first;
    //@ terminates (precision)
    while (now) {
        struct node *rest = now->next;
        if (now->value < 0) {
            if (before)
                before->next = rest;
            else
                first = rest;
            free(now);
        } else {
            before = now;
        }
        now = rest;
    }
    return 0;
}
