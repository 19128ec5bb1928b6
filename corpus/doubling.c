// It ends only because numbers wrap, which C does not promise: nobody may say that it ends.
//@ loops: 1
//@ holds: memsafety (precision)
//@ fails: no-overflow (precision)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    while (a >= 1)
        a = 2 * a;
    return 0;
}
