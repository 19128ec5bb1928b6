// What the callee writes keeps the caller's loop going: nothing may be assumed of memory after a call.
//@ loops: 1
//@ fails: termination (precision)
extern int __VERIFIER_nondet_int(void);

static void reset(int *left, int depth) {
    if (depth > 0)
        reset(left, depth - 1);
    else
        *left = 5;
}

int main(void) {
    int left = 5;
    while (left > 0) {
        left--;
        reset(&left, 2);
    }
    return 0;
}
