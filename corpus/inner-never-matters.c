// The outer loop sets back what it tests after a loop inside that always ends.
//@ loops: 2
//@ fails: termination (precision)
int main(void) {
    int x = 5;
    unsigned long noise = 0;
    //@ diverges (precision)
    while (x > 0) {
        //@ terminates (precision)
        for (int i = 0; i < 3; i++)
            noise = noise * 3 + 1;
        x = 6;
    }
    return (int)noise;
}
