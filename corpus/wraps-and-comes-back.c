// The sum may overflow on the way, but what is added is taken off again: the number falls if sums wrap, and also if they
// have no bounds.
//@ loops: 1
//@ holds: termination (precision)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int left = __VERIFIER_nondet_int();
    int in = __VERIFIER_nondet_int();
    int out = __VERIFIER_nondet_int();
    if (in != out)
        return 1;
    //@ terminates (soundness)
    while (left > 0)
        left = left + in - out - 1;
    return 0;
}
