// Nothing is known of a program whose side effects have no order: no answer may rest on one.
//@ loops: 1
//@ fails: unreach-call (soundness)
//@ fails: termination (soundness)
extern void reach_error(void);

int main(void) {
    int i = 1;
    i = i++ + ++i;
    if (i != 4) {
        reach_error();
    }
    while (i != 4) {
    }
    return 0;
}
