// trips: shift at line 7
// A shift count becomes negative.

int main(void) {
    long x = 1000;
    for (int i = 2; i > -2; i--)
        x = x >> i;
    return (int)x;
}
