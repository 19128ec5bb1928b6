// The letter is written over the number that says where: what is there then has no meaning.
//@ loops: 0
//@ fails: memsafety (soundness)
struct text {
    char *letters;
    int end;
};

int main(void) {
    struct text text = {(char *)&text.end, 0};
    text.letters[text.end++] = 5;
    return text.end;
}
