// Whether it ends hangs on whether a failed `assert` does, which is not defined: no answer is right for sure.
//@ loops: 1
//@ fails: unreach-call (precision)
//@ holds: memsafety (soundness)
void assert(int condition);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int step = __VERIFIER_nondet_int();
    assert(step != 0);
    unsigned i = 0;
    while (i < 10u)
        i += step != 0;
    return 0;
}
