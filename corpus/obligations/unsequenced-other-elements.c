// clean
// The two elements are never one.

int main(void) {
    int a[4] = {0, 0, 0, 0};
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (a[i] = i) + (a[3] = 2);
    return sum != 9;
}
