// If the limit is the largest number, the counter never passes it, whatever its overflow gives. With numbers that have no
// bounds it does, so that this is for others to judge.
//@ loops: 1
//@ holds: termination (soundness)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int limit = __VERIFIER_nondet_int();
    //@ terminates (soundness)
    for (int i = 0; i <= limit; i++)
        ;
    return 0;
}
