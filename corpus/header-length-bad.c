// A record says how long it is; the check forgets the two bytes of its header.
//@ loops: 2
//@ fails: memsafety (precision)
extern unsigned char __VERIFIER_nondet_uchar(void);

#define PACKET 64

static unsigned sum_record(const unsigned char *packet, unsigned size) {
    unsigned length = packet[1];
    unsigned sum = 0;
    if (length > size)
        return 0;
    //@ terminates (soundness)
    for (unsigned i = 0; i < length; i++)
        sum += packet[2 + i];
    return sum;
}

int main(void) {
    unsigned char packet[PACKET];
    for (unsigned i = 0; i < PACKET; i++)
        packet[i] = __VERIFIER_nondet_uchar();
    return sum_record(packet, PACKET) > 1000;
}
