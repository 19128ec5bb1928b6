// Two names of one object, and of one function.
//@ loops: 1
//@ fails: termination (precision)
int one;
extern int other __attribute__((alias("one")));

static int get(void) {
    return one;
}
extern int read_it(void) __attribute__((alias("get")));

int main(void) {
    one = 0;
    other = 1;
    //@ diverges (soundness)
    while (read_it())
        ;
    return 0;
}
