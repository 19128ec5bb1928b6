// clean
// The same sum wraps in unsigned arithmetic.

int main(void) {
    unsigned x = 1, sum = 0;
    for (int i = 0; i < 40; i++) {
        sum = sum + x;
        x = x < 1u << 29 ? x * 2 : x;
    }
    return sum == 0;
}
