// Steps of two miss an odd distance, and wrap for ever.
//@ loops: 1
//@ fails: termination (soundness)
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned at = __VERIFIER_nondet_uint(), end = __VERIFIER_nondet_uint();
    //@ diverges (soundness)
    while (at != end)
        at += 2;
    return 0;
}
