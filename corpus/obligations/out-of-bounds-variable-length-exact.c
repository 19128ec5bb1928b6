// clean
// The index runs from zero to below the length of a variable length array.

int fill(int n) {
    int values[n];
    for (int i = 0; i < n; i++)
        values[i] = i;
    return values[1];
}

int main(void) {
    return fill(5) - 1;
}
