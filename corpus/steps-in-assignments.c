// Where an assignment goes is worked out with a step of another object: they do not overlap.
//@ loops: 1
//@ holds: memsafety (precision)
//@ holds: unreach-call (precision)
extern void reach_error(void);
struct text {
    char *letters;
    int end;
};

static void add(struct text *to, char letter) {
    to->letters[to->end++] = letter;
}

int main(void) {
    char letters[4];
    struct text text = {letters, 0};
    for (int i = 0; i < 4; i++)
        add(&text, (char)('a' + i));
    if (text.end != 4 || letters[3] != 'd')
        reach_error();
    return 0;
}
