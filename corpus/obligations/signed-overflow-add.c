// trips: signed-overflow at line 7
// A sum of doubled numbers leaves the range of int.

int main(void) {
    int x = 1, sum = 0;
    for (int i = 0; i < 40; i++) {
        sum = sum + x;
        x = x < 1 << 29 ? x * 2 : x;
    }
    return sum == 0;
}
