// The weak function is not defined: its address is null.
//@ fails: termination (soundness)
extern void hook(void) __attribute__((weak));

int main(void) {
    while (!hook)
        ;
    return 0;
}
