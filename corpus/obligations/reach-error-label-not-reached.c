// clean
// The number that leads to the error label is never met.

extern void abort(void);
void reach_error(void) { abort(); }

int main(void) {
    unsigned x = 1;
    while (x != 0) {
        x <<= 1;
        if (x == 0x80000001u)
            goto ERROR;
    }
    return 0;
ERROR:
    reach_error();
    return 1;
}
