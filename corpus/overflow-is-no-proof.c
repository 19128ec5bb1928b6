// The number grows until it overflows, which is undefined: no run is shown to go on for ever, and none to end.
//@ loops: 1
//@ fails: no-overflow (soundness)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x > 0)
        x = x + 1;
    return 0;
}
