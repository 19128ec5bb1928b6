/* One counter: the branch needs a loop of a million and a half iterations. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void exit(int);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    unsigned i = 0, sum = 0;
    while (i < n) {
        i++;
        sum += 3;
    }
    if (sum == 4500000)
        exit(42); /* target */
    return 0;
}
