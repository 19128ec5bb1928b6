// The condition of a loop is a call with a side effect.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

static int fuel = 7;

static int use(int amount) {
    fuel -= amount;
    return fuel >= 0;
}

int main(void) {
    int rounds = 0;
    //@ terminates (precision)
    //@ bound: 3 (precision)
    while (use(2))
        rounds++;
    assert(rounds == 3 && fuel == -1);
    return 0;
}
