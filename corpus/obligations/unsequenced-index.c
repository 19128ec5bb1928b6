// trips: unsequenced at line 7
// The index is read and stepped in no order.

int main(void) {
    int a[8];
    for (int i = 0; i < 8;)
        a[i] = i++;
    return a[7] != 7;
}
