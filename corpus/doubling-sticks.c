// With numbers that have no bounds the second one soon is larger than the first. On machines it wraps to zero and stays
// there, if the first is too large to be reached.
//@ loops: 1
//@ fails: termination (soundness)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int limit = __VERIFIER_nondet_int();
    int power = 1;
    //@ diverges (soundness)
    while (limit > power)
        power = 2 * power;
    return 0;
}
