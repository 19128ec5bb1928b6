/* Unsigned arithmetic that wraps: the counter goes past zero. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void exit(int);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned passes = 0;
    if (x < 4200000000u)
        return 1;
    while (x >= 4200000000u) {
        x += 40;
        passes++;
    }
    if (passes == 1000000 && x == 17)
        exit(42); /* target */
    return 0;
}
