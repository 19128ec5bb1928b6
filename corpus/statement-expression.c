// A loop inside an expression.
//@ loops: 2
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

#define LARGEST(array, count) \
    ({ \
        __typeof__((array)[0]) best = (array)[0]; \
        for (int k = 1; k < (count); k++) \
            if ((array)[k] > best) \
                best = (array)[k]; \
        best; \
    })

int main(void) {
    int values[4] = {4, 9, 2, 7}, rounds = 0;
    //@ terminates (precision)
    //@ bound: 1 (precision)
    while (LARGEST(values, 4) > 5) {
        values[1] -= 5;
        values[3] -= 2;
        rounds++;
    }
    assert(rounds == 1);
    return 0;
}
