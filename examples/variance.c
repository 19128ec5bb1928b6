/* Each iteration counts down one of two numbers. Run `loopscope variance examples/variance.c`. */
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    while (x > a && y > b) {
        if (__VERIFIER_nondet_int())
            x = x - 1;
        else
            y = y - 1;
    }
    return 0;
}
