// The sum is right and nothing is added that overflows, but the left shift can lose bits into the sign.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: memsafety (precision)
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void) {
    unsigned char bytes[4];
    //@ terminates (precision)
    //@ bound: 4 (precision)
    for (int i = 0; i < 4; i++)
        bytes[i] = __VERIFIER_nondet_uchar();
    int number = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
    if ((number & 0xff) != bytes[0])
        reach_error();
    return 0;
}
