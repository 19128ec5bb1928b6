// Does a path from a number up to 100000 have at most 360 numbers? It has: trying them all shows it.
// No simple loop invariant shows it, so the write in the loop is an alarm that no run confirms.

extern unsigned __VERIFIER_nondet_uint(void);

static int record(unsigned *path, unsigned n) {
    int i = 0;
    while (n != 1) {
        path[i] = n;
        i++;
        n = n % 2 ? 3 * n + 1 : n / 2;
    }
    return i;
}

int main(void) {
    unsigned path[360];
    unsigned start = __VERIFIER_nondet_uint();
    if (start < 1 || start > 100000)
        return 0;
    return record(path, start) == 400;
}
