// The pointer into the target stands in memory, because the callee advances it: it keeps step with the counter.
//@ loops: 1
//@ holds: memsafety (precision)
extern int __VERIFIER_nondet_int(void);

static void fill(char **out, int most) {
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        if (++count > most)
            break;
        *(*out)++ = 'x';
    }
}

int main(void) {
    char target[40];
    char *end = target;
    fill(&end, 40);
    return 0;
}
