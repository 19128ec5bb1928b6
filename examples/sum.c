/* What do these loops compute? Run `loopscope summarize examples/sum.c`. */

int sum(int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

int climb(int x, int a) {
    while (x < 0)
        x = x + a;
    return x;
}
