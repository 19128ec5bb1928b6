// The pointer into the target stands in memory, and the limit is one too high.
//@ loops: 1
//@ fails: memsafety (soundness)
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
    fill(&end, 41);
    return 0;
}
