// The program calls itself through a pointer: what the inner call leaves behind keeps the outer one going.
//@ loops: 1
//@ fails: termination (soundness)
int go = 1, depth;
int main(void);
int (*const again)(void) = main;

static void down(int n) {
    if (n > 0)
        down(n - 1);
}

int main(void) {
    depth++;
    if (depth == 1) {
        again();
        while (go == 0)
            ;
    } else if (depth == 2) {
        down(30000);
        go = 0;
    }
    return 0;
}
