// None of these orders can be told from another.
//@ loops: 1
//@ holds: termination (precision)
//@ holds: unreach-call (precision)
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void) {
    int a[4] = {1, 2, 3, 0};
    int b[4];
    int *p = b, *q = a;
    int i = 0, x = 3;
    //@ terminates (precision)
    while ((*p++ = *q++) != 0) {
        i = i + (x = 2);
    }
    x += x;
    a[i / 3] = b[i - i];
    unsigned noise = (unsigned)__VERIFIER_nondet_int() - (unsigned)__VERIFIER_nondet_int();
    if (x != 4 || fib(4) != 3 || noise - noise != 0) {
        reach_error();
    }
    return 0;
}
