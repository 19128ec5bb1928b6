/* Several variables that move at different speeds, and two inputs. */
extern int __VERIFIER_nondet_int(void);
extern void exit(int);

int main(void)
{
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    if (low < -10000000 || high > 10000000 || low > high)
        return 1;
    int steps = 0;
    while (low < high) {
        low += 2;
        high -= 3;
        steps++;
    }
    if (steps == 1234567 && high == 777)
        exit(42); /* target */
    return 0;
}
