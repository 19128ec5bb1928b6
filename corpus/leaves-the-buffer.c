// The buffer may be too small for what is written; a run that leaves it has ended. The others count the numbers in it down.
//@ loops: 2
//@ holds: termination (precision)
//@ fails: memsafety (soundness)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int size = __VERIFIER_nondet_int();
    if (size < 0 || size > 100)
        return 1;
    int numbers[50];
    for (int i = 0; i < 50; i++)
        numbers[i] = __VERIFIER_nondet_int();
    //@ terminates (soundness)
    while (numbers[size] > 0)
        numbers[size]--;
    return 0;
}
