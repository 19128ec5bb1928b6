// A field of fixed size is filled without a terminator if the word is long, and its length is asked for afterwards.
//@ loops: 3
//@ fails: memsafety (precision)
extern char __VERIFIER_nondet_char(void);

#define FIELD 8

static void set_field(char *field, const char *word) {
    int i = 0;
    //@ terminates (soundness)
    while (i < FIELD && word[i] != '\0') {
        field[i] = word[i];
        i++;
    }
    if (i < FIELD)
        field[i] = '\0';
}

static int length(const char *text) {
    int n = 0;
    while (text[n] != '\0')
        n++;
    return n;
}

int main(void) {
    char word[24], field[FIELD];
    for (int i = 0; i < 23; i++)
        word[i] = __VERIFIER_nondet_char();
    word[23] = '\0';
    set_field(field, word);
    return length(field);
}
