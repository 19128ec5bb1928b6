// clean
// A negative number is shifted to the right: up to the compiler, but not undefined.

int main(void) {
    long x = -1000;
    for (int i = 2; i >= 0; i--)
        x = x >> i;
    return x != -125;
}
