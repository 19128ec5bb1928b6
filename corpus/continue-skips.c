// `continue` goes to the increment of a `for`, and to the condition of a `while`.
//@ loops: 2
//@ fails: termination (soundness)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int skip = __VERIFIER_nondet_int(), sum = 0, i;
    //@ terminates (precision)
    //@ bound: 10 (precision)
    for (i = 0; i < 10; i++) {
        if (i == skip)
            continue;
        sum += i;
    }
    i = 0;
    //@ diverges (soundness)
    while (i < 10) {
        if (i == skip)
            continue;
        i++;
    }
    return sum;
}
