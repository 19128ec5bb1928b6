// Whoever prints may set a variable of the program, too, which nobody sees here.
//@ loops: 1
//@ holds: termination (soundness)
extern void print_number(int);
int done;

int main(void) {
    int i = 0;
    //@ terminates (soundness)
    while (!done) {
        print_number(i);
        i = (i + 1) % 7;
    }
    return 0;
}
