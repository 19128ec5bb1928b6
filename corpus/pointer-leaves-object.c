// A pointer that leaves its object and is kept: C says nothing of what comes then, so that no run shows that this loop
// goes on, and no command may contradict another.
//@ loops: 1
static char text[16];

int main(void) {
    const char *now = text;
    while (now != text + 1)
        now += 2;
    return text[0];
}
