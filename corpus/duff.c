// A switch jumps into a loop: the first iteration is a part of one.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: memsafety (precision)
//@ holds: termination (precision)
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int count = __VERIFIER_nondet_uchar() % 16 + 1, done = 0;
    int rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            done++;
        case 3:
            done++;
        case 2:
            done++;
        case 1:
            done++;
        } while (--rounds > 0);
    }
    assert(done == count);
    return 0;
}
