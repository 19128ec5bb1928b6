// Assembler outside functions gives the variable a second name.
//@ fails: termination (soundness)
int one;
__asm__(".globl other\n.set other, one\n");
extern int other;

int main(void) {
    one = 0;
    other = 1;
    while (one)
        ;
    return 0;
}
