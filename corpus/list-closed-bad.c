// The last cell of a list may be linked to the first one, and the walk goes on.
//@ loops: 2
//@ fails: termination (precision)
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
    struct node *now = first;
    //@ diverges (precision)
    while (now) {
        struct node *rest = now->next;
        if (!rest && __VERIFIER_nondet_int())
            now->next = rest = first;
        now = rest;
    }
    return 0;
}
