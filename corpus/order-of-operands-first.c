// The other order: `g` is read before the call.
//@ loops: 1
//@ fails: termination (precision)
int g = 0;

int set(void) {
    g = 5;
    return 0;
}

int main(void) {
    int x = g + set();
    //@ diverges (precision)
    while (x == 0) {
    }
    return 0;
}
