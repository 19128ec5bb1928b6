// clean
// A signed char is incremented as an int and converted back: no overflow.

int main(void) {
    signed char x = 120;
    for (int i = 0; i < 20; i++)
        x++;
    return x != -116;
}
