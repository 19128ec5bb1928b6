// A small machine: the state decides where an iteration goes, and one state ends it.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

int main(void) {
    int state = 0, steps = 0;
    //@ terminates (precision)
    //@ bound: 4 (precision)
    for (;;) {
        steps++;
        switch (state) {
        case 0:
            state = 2;
            continue;
        case 1:
            state = 3;
            break;
        case 2:
            state = 1;
            break;
        default:
            goto done;
        }
    }
done:
    assert(steps == 4);
    return 0;
}
