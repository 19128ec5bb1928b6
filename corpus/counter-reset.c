// One counter falls for good, the other one is set anew each time: two numbers, in this order, show that it ends.
//@ loops: 1
//@ holds: termination (precision)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int rounds = __VERIFIER_nondet_int(), left = __VERIFIER_nondet_int();
    //@ terminates (precision)
    while (rounds > 0 && left > 0) {
        if (__VERIFIER_nondet_int()) {
            rounds--;
            left = __VERIFIER_nondet_int();
        } else {
            left--;
        }
    }
    return 0;
}
