// trips: signed-overflow at line 6
// Two unsigned shorts are promoted to int, and their product does not fit.

int main(void) {
    unsigned short x = 65535;
    unsigned product = x * x;
    return product == 0;
}
