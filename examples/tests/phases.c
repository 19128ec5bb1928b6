/* Two phases: the second begins only after as many iterations as the input says. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void exit(int);

int main(void)
{
    unsigned limit = __VERIFIER_nondet_uint();
    unsigned x = 0, y = 0;
    if (limit > 4000000)
        return 1;
    while (x < 5000000) {
        if (x < limit)
            x++;
        else {
            x++;
            y++;
        }
    }
    if (y == 1999999)
        exit(42); /* target */
    return 0;
}
