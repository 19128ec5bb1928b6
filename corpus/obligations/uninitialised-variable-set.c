// clean
// A variable is set in an iteration that comes.

int main(void) {
    int last;
    for (int i = 0; i < 3; i++)
        if (i == 2)
            last = i;
    if (last == 3)
        return 1;
    return 0;
}
