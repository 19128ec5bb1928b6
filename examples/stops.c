/* Five loops and a recursion: which of them stop? Run `loopscope terminates examples/stops.c`. */
#include <stdio.h>

static int sum(int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i % 10;
    return s;
}

static unsigned gcd(unsigned a, unsigned b) {
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void in_twos(unsigned n) {
    while (n != 0)
        n = n - 2;
}

int climb(int i, int n, int step) {
    while (i < n)
        i = i + step;
    return i;
}

int skip(void) {
    while (getchar() == ' ')
        ;
    return 0;
}

unsigned fib(unsigned n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void) {
    in_twos(1000000);
    return sum(100) + (int)gcd(12, 18);
}
