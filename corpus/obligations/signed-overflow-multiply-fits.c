// clean
// The twelfth factorial fits in int.

int main(void) {
    int factorial = 1;
    for (int i = 1; i <= 12; i++)
        factorial *= i;
    return factorial != 479001600;
}
