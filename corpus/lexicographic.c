// One number falls, or it stays and another one falls.
//@ loops: 1
//@ holds: termination (precision)
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar();
    //@ terminates (precision)
    while (x > 0 && y > 0) {
        if (__VERIFIER_nondet_uchar() % 2) {
            x--;
            y = __VERIFIER_nondet_uchar();
        } else {
            y--;
        }
    }
    return 0;
}
