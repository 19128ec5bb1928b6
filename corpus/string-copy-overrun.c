// The copy loop asks for the terminator but not for the room.
//@ loops: 2
//@ fails: memsafety (soundness)
int main(void) {
    char source[8], target[4];
    int i;
    for (i = 0; i < 7; i++)
        source[i] = 'x';
    source[7] = '\0';
    for (i = 0; source[i]; i++)
        target[i] = source[i];
    return target[0];
}
