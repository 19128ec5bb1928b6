// A constructor runs before main, and makes the loop endless.
//@ loops: 1
//@ fails: termination (precision)
int busy = 0;

static void __attribute__((constructor)) begin(void) {
    busy = 1;
}

int main(void) {
    //@ diverges (soundness)
    while (busy)
        ;
    return 0;
}
