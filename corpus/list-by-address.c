// A list is kept in order by a function that gets the address of its head.
//@ loops: 3
//@ holds: termination (precision)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static void insert(struct node **place, int value) {
    struct node *made = malloc(sizeof *made), *now = *place;
    made->value = value;
    if (now == NULL || now->value >= value) {
        made->next = now;
        *place = made;
        return;
    }
    //@ terminates (precision)
    while (now->next && now->next->value < value)
        now = now->next;
    made->next = now->next;
    now->next = made;
}

int main(void) {
    struct node *first = NULL;
    int count = __VERIFIER_nondet_int();
    //@ terminates (precision)
    for (int i = 0; i < count; i++)
        insert(&first, __VERIFIER_nondet_int());
    //@ terminates (precision)
    while (first)
        first = first->next;
    return 0;
}
