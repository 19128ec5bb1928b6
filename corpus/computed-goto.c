// Jumps through a table of labels: the loop has no keyword.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
#include <assert.h>

int main(void) {
    static const void *const steps[] = {&&add, &&add, &&twice, &&add, &&end};
    int position = 0, value = 1;
next:
    goto *steps[position++];
add:
    value += 3;
    goto next;
twice:
    value *= 2;
    goto next;
end:
    assert(value == 17);
    return 0;
}
