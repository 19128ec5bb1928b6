// clean
// A pointer to one past the end is made and compared, but nothing is read there.

int main(void) {
    char a[4];
    int count = 0;
    for (char *p = a; p != a + 4; p++) {
        *p = 'x';
        count++;
    }
    return count - 4;
}
