// A copy without its terminator goes to an undefined function, and that may well read a string.
//@ loops: 1
//@ fails: memsafety (soundness)
extern void show(const char *line);

int main(void) {
    char from[8] = "example", to[4];
    for (int i = 0; i < 4; i++)
        to[i] = from[i];
    show(to);
    return 0;
}
