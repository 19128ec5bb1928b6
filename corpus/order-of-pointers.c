// Where the value goes and what it is both depend on calls.
//@ loops: 0
//@ fails: unreach-call (precision)
extern void reach_error(void);
int a, b;
int turn = 0;

int *target(void) {
    turn = turn + 1;
    return turn == 1 ? &a : &b;
}

int value(void) {
    turn = turn + 1;
    return turn;
}

int main(void) {
    *target() = value();
    if (b == 1) {
        reach_error();
    }
    return 0;
}
