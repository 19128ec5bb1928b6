// C lets the compiler read `g` before or after the call: only one of the two ends.
//@ loops: 1
//@ fails: termination (precision)
//@ holds: unreach-call (soundness)
int g = 0;

int set(void) {
    g = 5;
    return 0;
}

int main(void) {
    int x = g + set();
    //@ diverges (precision)
    while (x == 5) {
    }
    return 0;
}
