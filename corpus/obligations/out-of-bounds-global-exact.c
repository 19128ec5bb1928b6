// clean
// The bound is the number of elements of the global table.

static const int table[5] = {1, 2, 3, 4, 5};

int main(void) {
    int product = 1;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i += 3)
        product *= table[i];
    return product - 4;
}
