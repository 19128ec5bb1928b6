// trips: uninitialised at line 9
// A variable is set only in an iteration that never comes.

int main(void) {
    int last;
    for (int i = 0; i < 3; i++)
        if (i == 3)
            last = i;
    if (last == 2)
        return 1;
    return 0;
}
