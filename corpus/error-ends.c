// The function that verifiers call an error ends the program, and so the loop.
//@ loops: 1
//@ holds: termination (precision)
//@ fails: unreach-call (precision)
extern void __VERIFIER_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned step = __VERIFIER_nondet_uint() % 8;
    //@ terminates (soundness)
    while (1) {
        if (step > 20)
            __VERIFIER_error();
        step = step + 3;
    }
}
