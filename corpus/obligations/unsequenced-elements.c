// trips: unsequenced at line 8
// Two elements are one on the last pass.

int main(void) {
    int a[4] = {0, 0, 0, 0};
    int sum = 0;
    for (int i = 0, j = 3; i < 4; i++)
        sum += (a[i] = i) + (a[j] = 2);
    return sum == 0;
}
