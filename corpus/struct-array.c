// Members of structs in an array, reached by index and by pointer.
//@ loops: 2
//@ holds: unreach-call (precision)
//@ holds: memsafety (precision)
//@ holds: termination (precision)
#include <assert.h>

struct item {
    unsigned weight : 4;
    unsigned taken : 1;
    short value;
};

int main(void) {
    struct item items[6] = {{3, 0, 10}, {.value = 20, .weight = 5}, {7}};
    unsigned weight = 0;
    //@ terminates (precision)
    //@ bound: 6 (precision)
    for (int i = 0; i < 6; i++)
        if (items[i].value > 0)
            items[i].taken = 1;
    //@ terminates (precision)
    //@ bound: 6 (precision)
    for (struct item *item = items; item != items + 6; item++)
        if (item->taken)
            weight += item->weight;
    assert(weight == 8);
    return 0;
}
