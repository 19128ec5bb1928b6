// Two functions count a number in memory down by turns.
//@ loops: 0
//@ holds: termination (precision)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void odd(int *left);

static void even(int *left) {
    if (*left < 0)
        return;
    *left = *left - 1;
    odd(left);
}

static void odd(int *left) {
    if (*left >= 0)
        even(left);
}

int main(void) {
    int *left = malloc(sizeof *left);
    if (!left)
        return 1;
    *left = __VERIFIER_nondet_int();
    even(left);
    free(left);
    return 0;
}
