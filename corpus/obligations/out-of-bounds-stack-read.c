// trips: out-of-bounds at line 9
// One element past the end of an array on the stack is read.

int main(void) {
    int a[8], sum = 0;
    for (int i = 0; i < 8; i++)
        a[i] = i;
    for (int i = 0; i <= 8; i++)
        sum += a[i];
    return sum == 28;
}
