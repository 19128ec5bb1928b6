// The inner loop advances the counter of the outer one: together they are linear.
//@ loops: 3
//@ holds: termination (precision)
//@ holds: memsafety (precision)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int text[100];
    int words = 0, i = 0;
    //@ terminates (precision)
    //@ bound: 100 (precision)
    for (int k = 0; k < 100; k++)
        text[k] = __VERIFIER_nondet_int();
    while (i < 100) {
        while (i < 100 && text[i] != 0)
            i++;
        words++;
        i++;
    }
    return words;
}
