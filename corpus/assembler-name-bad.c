// A declaration whose name in the object file is that of another variable.
//@ loops: 1
//@ fails: termination (precision)
int one;
extern int other __asm__("one");

int main(void) {
    one = 0;
    other = 1;
    //@ diverges (soundness)
    while (one)
        ;
    return 0;
}
