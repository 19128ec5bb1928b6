// The call that never returns need not come first.
//@ loops: 1
//@ fails: memsafety (soundness)
//@ fails: termination (soundness)
int spin(void) {
    for (;;) {
    }
    return 0;
}

int fetch(int *from) {
    return *from;
}

int main(void) {
    return spin() + fetch(0);
}
