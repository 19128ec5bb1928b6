// A loop that relies on unsigned wrap-around to end.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: no-overflow (precision)
//@ holds: termination (precision)
#include <assert.h>

int main(void) {
    unsigned char i = 1;
    int count = 0;
    //@ terminates (precision)
    //@ bound: 255 (precision)
    while (i) {
        i++;
        count++;
    }
    assert(count == 255);
    return 0;
}
