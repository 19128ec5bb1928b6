// The elements of an initialiser are evaluated in some order, each as a whole.
//@ loops: 0
//@ fails: unreach-call (precision)
extern void reach_error(void);

int main(void) {
    int i = 0;
    int a[2] = {i++, i++};
    if (a[0] == 1) {
        reach_error();
    }
    return 0;
}
