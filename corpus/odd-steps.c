// Steps of two from an odd number miss an even one, and the counter beside them never shows the same state again soon.
//@ loops: 1
//@ fails: termination (precision)
int main(void) {
    unsigned at = 1;
    unsigned long noise = 0;
    //@ diverges (precision)
    while (at != 100) {
        at += 2;
        noise = noise * 3 + 1;
    }
    return (int)noise;
}
