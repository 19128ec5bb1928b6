// A string is walked from both sides: every access is to its object, so the walks come to an end.
//@ loops: 2
//@ holds: termination (precision)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static const char *last(const char *text, char wanted) {
    const char *found = 0;
    //@ terminates (precision)
    while (*text) {
        if (*text == wanted)
            found = text;
        text++;
    }
    return found;
}

int main(void) {
    int length = __VERIFIER_nondet_int();
    if (length < 1)
        length = 1;
    char *text = malloc(length);
    if (!text)
        return 1;
    text[length - 1] = 0;
    const char *dot = last(text, '.');
    //@ terminates (precision)
    while (dot && *dot != '/')
        dot--;
    free(text);
    return 0;
}
