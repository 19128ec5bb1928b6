// Quotes are escaped on the way: one character becomes two, and there is room for both and the terminator.
//@ loops: 2
//@ holds: memsafety (soundness)
extern char __VERIFIER_nondet_char(void);

#define INPUT 32
#define OUTPUT 16

static int escape(char *output, const char *input) {
    int to = 0;
    //@ terminates (soundness)
    for (int from = 0; input[from] != '\0'; from++) {
        if (to >= OUTPUT - 2)
            break;
        if (input[from] == '"')
            output[to++] = '\\';
        output[to++] = input[from];
    }
    output[to] = '\0';
    return to;
}

int main(void) {
    char input[INPUT], output[OUTPUT];
    for (int i = 0; i < INPUT - 1; i++)
        input[i] = __VERIFIER_nondet_char();
    input[INPUT - 1] = '\0';
    return escape(output, input);
}
