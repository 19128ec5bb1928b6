// Two numbers approach each other, from either side: how far they are apart is one thing or the other.
//@ loops: 1
//@ holds: termination (precision)
extern short __VERIFIER_nondet_short(void);

int main(void) {
    int low = __VERIFIER_nondet_short(), high = __VERIFIER_nondet_short();
    //@ terminates (precision)
    while (low != high) {
        if (low > high)
            high++;
        else
            low++;
    }
    return 0;
}
