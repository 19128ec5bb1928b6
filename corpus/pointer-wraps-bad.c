// A pointer that is moved and not used for an access may go anywhere: nobody knows that this loop is left.
//@ loops: 1
//@ fails: termination (precision)
static char text[16];

int main(void) {
    const char *now = text;
    while (now != text + 1)
        now += 2;
    return text[0];
}
