// A list is built by a callee, reversed in place, and walked.
//@ loops: 3
//@ holds: termination (precision)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static struct node *build(int count) {
    struct node *first = NULL;
    //@ terminates (precision)
    //@ bound: count (soundness)
    while (count > 0) {
        struct node *made = malloc(sizeof *made);
        if (made == NULL)
            return first;
        made->value = count--;
        made->next = first;
        first = made;
    }
    return first;
}

int main(void) {
    struct node *left = build(__VERIFIER_nondet_int()), *done = NULL;
    //@ terminates (precision)
    while (left) {
        struct node *rest = left->next;
        left->next = done;
        done = left;
        left = rest;
    }
    //@ terminates (precision)
    for (; done; done = done->next)
        done->value = 0;
    return 0;
}
