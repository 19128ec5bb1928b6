/* A nest in which the inner loop moves the counter of the outer one. */
extern int __VERIFIER_nondet_int(void);
extern void exit(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int turns = 0;
    if (x < 0 || x > 1000)
        return 1;
    while (x < 3000000) {
        int step = 0;
        while (step < 700) {
            step++;
            x++;
        }
        turns++;
    }
    if (turns > 1000 && x == 3000123)
        exit(42); /* target */
    return 0;
}
