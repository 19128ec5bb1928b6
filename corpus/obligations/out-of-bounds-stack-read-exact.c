// clean
// All elements of an array on the stack are read, and no more.

int main(void) {
    int a[8], sum = 0;
    for (int i = 0; i < 8; i++)
        a[i] = i;
    for (int i = 0; i <= 7; i++)
        sum += a[i];
    return sum == 29;
}
