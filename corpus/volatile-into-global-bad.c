// Two reads of a volatile object may differ, also where a global keeps what was read and a failure has an order.
//@ loops: 1
//@ fails: unreach-call (soundness)
extern void reach_error(void);
extern const volatile int status;
int first, second;

int spin(void) {
    for (;;) {
    }
    return 0;
}

int fetch(int *from) {
    return *from;
}

int main(int argc, char **argv) {
    first = status;
    second = status;
    if (argc > 5) {
        spin() + fetch(0);
    }
    if (first != second) {
        reach_error();
    }
    return 0;
}
