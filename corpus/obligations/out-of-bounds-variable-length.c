// trips: out-of-bounds at line 7
// The index runs from one to the length of a variable length array.

int fill(int n) {
    int values[n];
    for (int i = 1; i <= n; i++)
        values[i] = i;
    return values[1];
}

int main(void) {
    return fill(5) - 1;
}
