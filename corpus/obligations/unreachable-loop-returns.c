// clean
// The program says that its loop is never left, and returns from inside it.

int main(void) {
    for (unsigned char i = 1;; i++)
        if (i == 0)
            return 0;
    __builtin_unreachable();
}
