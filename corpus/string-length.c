// The length of a string by a pointer that walks to its end.
//@ loops: 2
//@ holds: unreach-call (precision)
//@ holds: memsafety (precision)
//@ holds: termination (precision)
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

int main(void) {
    char text[32];
    for (int i = 0; i < 31; i++)
        text[i] = __VERIFIER_nondet_char();
    text[31] = '\0';
    const char *end = text;
    //@ terminates (precision)
    //@ bound: 31 (precision)
    while (*end)
        end++;
    assert(end - text < 32);
    return 0;
}
