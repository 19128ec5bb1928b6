// Recursion inside a loop: a tree of calls.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

static int leaves(int depth) {
    int sum = 0;
    if (depth == 0)
        return 1;
    //@ terminates (precision)
    //@ bound: 3 (precision)
    for (int i = 0; i < 3; i++)
        sum += leaves(depth - 1);
    return sum;
}

int main(void) {
    assert(leaves(4) == 81);
    return 0;
}
