// A step of two jumps over an odd goal for ever.
//@ loops: 1
//@ fails: termination (soundness)
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    //@ diverges (soundness)
    for (unsigned i = 0; i != n; i += 2)
        ;
    return 0;
}
