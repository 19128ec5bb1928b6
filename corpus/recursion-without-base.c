// Nothing stops the calls, which do nothing else.
//@ loops: 0
//@ fails: termination (precision)
extern int __VERIFIER_nondet_int(void);

static void again(unsigned depth) {
    again(depth + 1);
}

int main(void) {
    if (__VERIFIER_nondet_int() > 3)
        again(0);
    return 0;
}
