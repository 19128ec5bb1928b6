// Which element is written depends on whether the index is read before the call.
//@ loops: 0
//@ fails: unreach-call (precision)
extern void reach_error(void);
int at = 0;

int move(void) {
    at = 1;
    return 7;
}

int main(void) {
    int a[2] = {0, 0};
    int b[2] = {0, 0};
    a[at] = move();
    at = 0;
    b[at] = move();
    if (a[0] == 7 && b[1] == 7) {
        reach_error();
    }
    return 0;
}
