// A loop that is made of jumps only.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

int main(void) {
    int i = 0, sum = 0;
again:
    sum += i;
    i++;
    if (i <= 10)
        goto again;
    assert(sum == 55);
    return 0;
}
