/* The variables start apart and meet only for one input. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void exit(int);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = x + 1, z = 0;
    while (x < 100000000) {
        x += 10;
        y += 10;
        z++;
    }
    if (x != y && z == 3456789)
        exit(42); /* target */
    return 0;
}
