/* What can go wrong here? Run `loopscope alarms examples/obligations.c`. */
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int s = 0;
    for (int i = 0; i < 10; i++)
        s += 2;
    if (s > 20)
        s = s / n;
    return 100 / n;
}
