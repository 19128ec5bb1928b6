// Three numbers get less in any order: at the end exactly one of them has run out.
//@ loops: 1
//@ holds: unreach-call (precision)
//@ holds: termination (precision)
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    if (x <= 0 || y <= 0 || z <= 0)
        return 0;
    //@ terminates (precision)
    while (x > 0 && y > 0 && z > 0) {
        if (__VERIFIER_nondet_int())
            x--;
        else if (__VERIFIER_nondet_int())
            y--;
        else
            z--;
    }
    if ((x == 0) + (y == 0) + (z == 0) != 1)
        reach_error();
    return 0;
}
