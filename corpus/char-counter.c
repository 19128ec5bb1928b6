// A counter that is too narrow for its bound never reaches it.
//@ loops: 1
//@ fails: termination (soundness)
//@ holds: no-overflow (precision)
int main(void) {
    int sum = 0;
    //@ diverges (soundness)
    for (signed char i = 0; i < 200; i++)
        sum ^= i;
    return sum;
}
