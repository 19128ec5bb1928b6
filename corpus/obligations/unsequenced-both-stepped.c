// clean
// Each pointer is stepped once, and the value is read before the other place is written.

int main(void) {
    int from[4] = {1, 2, 3, 0}, to[4];
    int *p = to, *q = from;
    while ((*p++ = *q++) != 0) {
    }
    return to[2] != 3 || p != to + 4;
}
