// The left side of `+=` is read before or after the call.
//@ loops: 0
//@ fails: unreach-call (precision)
extern void reach_error(void);
int g = 1;

int set(void) {
    g = 5;
    return 0;
}

int main(void) {
    g += set();
    if (g == 1) {
        reach_error();
    }
    return 0;
}
