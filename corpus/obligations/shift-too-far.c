// trips: shift at line 7
// The last shift is by the width of the type.

int main(void) {
    unsigned bits = 0;
    for (int i = 1; i <= 32; i++)
        bits ^= 1u << i;
    return bits == 1;
}
