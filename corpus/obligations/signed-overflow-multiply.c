// trips: signed-overflow at line 7
// The thirteenth factorial does not fit in int.

int main(void) {
    int factorial = 1;
    for (int i = 1; i <= 13; i++)
        factorial *= i;
    return factorial == 0;
}
