// The name in the object file looks like a version of a library function, and is a function of the program.
//@ loops: 0
//@ fails: memsafety (precision)
extern int step(void) __asm__("__step");

static int places[2], at;

int main(void) {
    step();
    places[at] = 1;
    return 0;
}

int __step(void) {
    at = 5;
    return 0;
}
