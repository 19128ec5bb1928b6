// An undefined function that only prints, by its name and by what it is given, does not end the loop.
//@ loops: 1
//@ fails: termination (precision)
extern void print_number(int);
extern void print_text(const char *);

int main(void) {
    int i = 0;
    print_text("numbers");
    //@ diverges (precision)
    do {
        print_number(i);
        i = (i + 1) % 7;
    } while (i >= 0);
    return 0;
}
