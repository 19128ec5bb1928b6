// More orders than anybody tries: no proof may rest on one of them.
//@ loops: 0
//@ fails: unreach-call (soundness)
extern void reach_error(void);
int last = 0;

int call(int number) {
    last = number;
    return number;
}

int main(void) {
    int sum = (call(1) + call(2)) + (call(3) + call(4));
    if (sum == 10 && last == 2) {
        reach_error();
    }
    return 0;
}
