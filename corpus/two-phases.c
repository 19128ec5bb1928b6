// Up and down in turn, for ever: only every second state is like the first.
//@ loops: 1
//@ fails: termination (precision)
int main(void) {
    int height = 3, up = 1;
    unsigned long noise = 0;
    //@ diverges (precision)
    while (height > 1) {
        if (up)
            height++;
        else
            height--;
        up = !up;
        noise = noise * 3 + 1;
    }
    return (int)noise;
}
