// clean
// A division of floating point numbers by zero is infinite, not undefined.

int main(void) {
    double x = 1.0;
    for (int i = 2; i >= 0; i--)
        x = 1.0 / i;
    return x > 1e300 ? 0 : 1;
}
