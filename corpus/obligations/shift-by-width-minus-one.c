// clean
// The last shift is by one less than the width.

int main(void) {
    unsigned bits = 0;
    for (int i = 1; i <= 31; i++)
        bits ^= 1u << i;
    return bits == 1;
}
