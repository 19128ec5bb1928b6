// trips: uninitialised at line 9
// A gap stays between the elements that a loop writes.

int main(void) {
    char flags[8];
    for (int i = 0; i < 8; i += 2)
        flags[i] = 1;
    for (int i = 0; i < 8; i++)
        if (flags[i] == 7)
            return 1;
    return 0;
}
