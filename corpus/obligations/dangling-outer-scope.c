// clean
// A variable from around the loop is read after the loop.

int main(void) {
    int *last = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        square = i * i;
        last = &square;
    }
    return *last - 4;
}
