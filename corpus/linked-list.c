// A list is built, walked and freed.
//@ loops: 3
//@ holds: memsafety (precision)
//@ holds: termination (precision)
//@ holds: unreach-call (precision)
#include <assert.h>
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node *head = NULL;
    int built = 0, walked = 0, wanted = __VERIFIER_nondet_uchar();
    //@ terminates (precision)
    //@ bound: wanted (precision)
    for (int i = 0; i < wanted; i++) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            break;
        node->value = i;
        node->next = head;
        head = node;
        built++;
    }
    //@ terminates (precision)
    for (struct node *node = head; node; node = node->next)
        walked++;
    assert(built == walked);
    //@ terminates (precision)
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
