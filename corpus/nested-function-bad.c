// A function in a function changes the variables around it.
//@ fails: memsafety (soundness)
int main(void) {
    int places[3];
    int at = 0;
    void move(void) {
        at = 7;
    }
    move();
    places[at] = 1;
    return 0;
}
