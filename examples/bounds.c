/* How many iterations do these loops make? Run `loopscope bounds examples/bounds.c`. */

void nested(int n, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            ;
}

/* One loop that counts two numbers: `j` starts again with every step of `i`. */
void merged(int n, int m) {
    int i = 0, j = 0;
    while (i < n) {
        if (j < m) {
            j++;
        } else {
            j = 0;
            i++;
        }
    }
}

void by_twos(int n) {
    for (int i = 0; i < n; i += 2)
        ;
}
