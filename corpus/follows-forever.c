// The loop goes on as long as the inputs follow its counters: one has to grow with each pass, the other one stays.
//@ loops: 1
//@ fails: termination (precision)
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned next = __VERIFIER_nondet_uint();
    unsigned kept = 7;
    //@ diverges (precision)
    while (__VERIFIER_nondet_uint() == next) {
        if (__VERIFIER_nondet_uint() != kept)
            return 1;
        next = next + 3;
    }
    return 0;
}
