// clean
// An initialiser for one element makes the others zero.

int main(void) {
    char flags[8] = {1};
    for (int i = 0; i < 8; i++)
        if (flags[i] == 7)
            return 1;
    return 0;
}
