// Numbered constructors run in the order of their numbers, then the others; a destructor runs after main.
//@ loops: 2
//@ holds: termination (precision)
int steps = 7;

static void __attribute__((constructor)) last(void) {
    steps = steps + 1;
}

static void __attribute__((constructor(200))) second(void) {
    steps = steps * 2;
}

static void __attribute__((constructor(101))) first(void) {
    steps = 1;
}

static void __attribute__((destructor)) end(void) {
    //@ terminates (soundness)
    while (steps != 0)
        ;
}

int main(void) {
    //@ terminates (soundness)
    while (steps != 3)
        ;
    steps = 0;
    return 0;
}
