// An undefined function returns something, and has no way to the counter.
//@ loops: 1
//@ holds: termination (precision)
extern int somebody(int);

int main(void) {
    int sum = 0;
    //@ terminates (precision)
    //@ bound: 10 (soundness)
    for (int i = 0; i < 10; i++)
        if (somebody(i) > 3)
            sum = i;
    return sum;
}
