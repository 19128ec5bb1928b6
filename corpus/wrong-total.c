// The sum over a table is asserted to be another one.
//@ loops: 1
//@ fails: unreach-call (soundness)
#include <assert.h>

int main(void) {
    int counts[3] = {1, 1, 1}, total = 0;
    //@ terminates (precision)
    //@ bound: 3 (precision)
    for (int i = 0; i < 3; i++)
        total += counts[i];
    assert(total == 2);
    return 0;
}
