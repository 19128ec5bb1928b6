// The arguments of a call have no order: the second one may be evaluated first or last.
//@ loops: 0
//@ fails: unreach-call (precision)
extern void reach_error(void);
int count = 0;

int next(void) {
    count = count + 1;
    return count;
}

int minus(int a, int b) {
    return a - b;
}

int main(void) {
    if (minus(next(), next()) == 1) {
        reach_error();
    }
    return 0;
}
