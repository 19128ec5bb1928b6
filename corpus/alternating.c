// Odd and even iterations do different things: neither alone shows progress, both together do.
//@ loops: 1
//@ holds: termination (precision)
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_uchar(), turn = 0;
    //@ terminates (precision)
    while (x > 0) {
        if (turn)
            x -= 2;
        else
            x += 1;
        turn = !turn;
    }
    return 0;
}
