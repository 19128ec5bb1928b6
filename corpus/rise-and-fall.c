// The height grows before it falls: first the speed becomes negative, then the height.
//@ loops: 1
//@ holds: termination (soundness)
extern short __VERIFIER_nondet_short(void);

int main(void) {
    long height = __VERIFIER_nondet_short(), speed = __VERIFIER_nondet_short();
    //@ terminates (soundness)
    while (height > 0) {
        height += speed;
        speed--;
    }
    return 0;
}
