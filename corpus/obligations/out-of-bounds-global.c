// trips: out-of-bounds at line 9
// A loop bound is larger than a global table.

static const int table[5] = {1, 2, 3, 4, 5};

int main(void) {
    int product = 1;
    for (unsigned i = 0; i < sizeof table; i += 3)
        product *= table[i];
    return product;
}
