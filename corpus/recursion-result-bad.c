// The recursion ends, but what it returns keeps the loop around it going.
//@ loops: 1
//@ fails: termination (precision)
extern int __VERIFIER_nondet_int(void);

static int down(int n) { return n <= 0 ? 0 : down(n - 1); }

int main(void) {
    int more = 1;
    while (more > 0)
        more = 1 + down(3);
    return 0;
}
