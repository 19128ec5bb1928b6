// The loop ends when the inputs say so often enough; they need not.
//@ loops: 1
//@ fails: termination (precision)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int left = 5;
    unsigned long noise = 1;
    //@ diverges (precision)
    while (left > 0) {
        if (__VERIFIER_nondet_int() < 3)
            left--;
        noise = noise * 5 + 3;
    }
    return (int)noise;
}
