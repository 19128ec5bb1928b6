// trips: out-of-bounds at line 8
// A pointer walks below the start of an array and is written through.

int main(void) {
    char a[4];
    char *p = a + 3;
    for (int i = 0; i < 5; i++)
        *p-- = 'x';
    return 0;
}
