// clean
// The divisor counts down to one.

int main(void) {
    int sum = 0;
    for (int i = 3; i > 0; i--)
        sum += 12 / i;
    return sum - 22;
}
