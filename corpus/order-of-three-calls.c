// Calls of different operands may come in any order: the one in the middle of the text may be the last.
//@ loops: 0
//@ fails: unreach-call (precision)
extern void reach_error(void);
int last = 0;

int one(void) {
    last = 1;
    return 1;
}

int two(void) {
    last = 2;
    return 2;
}

int three(void) {
    last = 3;
    return 3;
}

int main(void) {
    int sum = (one() + two()) + three();
    if (sum == 6 && last == 2) {
        reach_error();
    }
    return 0;
}
