// Adds two numbers by counting, and checks that it does.
#include <assert.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

static int add(int count, int to)
{
    if (count == 0)
        return to;
    return add(count - 1, to + 1);
}

int main(void)
{
    int count = __VERIFIER_nondet_ushort();
    int to = __VERIFIER_nondet_ushort();
    assert(add(count, to) == count + to);
    return 0;
}
