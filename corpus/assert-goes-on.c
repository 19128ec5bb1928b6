// This `assert` is not defined: the program goes on after it, out of bounds.
//@ loops: 1
//@ fails: unreach-call (precision)
//@ fails: memsafety (precision)
//@ holds: no-overflow (soundness)
void assert(int condition);

int main(void) {
    char buffer[2];
    int n = 0;
    //@ terminates (precision)
    //@ bound: 3 (precision)
    while (n < 3)
        n++;
    assert(n < 2);
    buffer[n] = 0;
    return 0;
}
