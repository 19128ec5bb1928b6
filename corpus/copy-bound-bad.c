// A line is copied up to its end or until the buffer is full; "full" is one byte too late for the terminator.
//@ loops: 2
//@ fails: memsafety (precision)
extern char __VERIFIER_nondet_char(void);

#define LINE 64
#define NAME 16

static void copy_name(char *name, const char *line) {
    int i = 0;
    //@ terminates (soundness)
    while (line[i] != '\0' && line[i] != '\n' && i < NAME) {
        name[i] = line[i];
        i++;
    }
    name[i] = '\0';
}

int main(void) {
    char line[LINE], name[NAME];
    //@ bound: 63 (soundness)
    for (int i = 0; i < LINE - 1; i++)
        line[i] = __VERIFIER_nondet_char();
    line[LINE - 1] = '\0';
    copy_name(name, line);
    return name[0];
}
