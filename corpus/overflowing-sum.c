// A sum that can leave its type, far away from the start.
//@ loops: 1
//@ fails: no-overflow (soundness)
//@ holds: termination (precision)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int sum = 0;
    //@ terminates (precision)
    //@ bound: 3 (precision)
    for (int i = 0; i < 3; i++)
        sum += __VERIFIER_nondet_int();
    return sum;
}
