// trips: dangling at line 10
// A variable of a loop body is read after the loop.

int main(void) {
    int *last = 0;
    for (int i = 0; i < 3; i++) {
        int square = i * i;
        last = &square;
    }
    return *last - 4;
}
