// trips: reach-error at line 16
// A jump out of a loop leads to the error label.

extern void abort(void);
void reach_error(void) { abort(); }

int main(void) {
    unsigned x = 1;
    while (x != 0) {
        x <<= 1;
        if (x == 0x80000000u)
            goto ERROR;
    }
    return 0;
ERROR:
    reach_error();
    return 1;
}
