// trips: unreachable at line 8
// The program says that its loop never ends, and leaves it.

int main(void) {
    for (unsigned char i = 1;; i++)
        if (i == 0)
            break;
    __builtin_unreachable();
}
