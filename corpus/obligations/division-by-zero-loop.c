// trips: division-by-zero at line 7
// The divisor counts down to zero.

int main(void) {
    int sum = 0;
    for (int i = 3; i >= 0; i--)
        sum += 12 / i;
    return sum;
}
