// The counter will overflow one day. The loop does not ask for it.
//@ loops: 1
//@ fails: termination (precision)
int main(void) {
    int passes = 0;
    //@ diverges (precision)
    for (;;)
        passes++;
    return passes;
}
