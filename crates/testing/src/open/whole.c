/* Writes down what loops of a part do. */
#include <stdio.h>
#include <unistd.h>

static long first, second, count[64];
static int is_open[64], lines;

static void report(const char *what, int number) {
    if (lines++ < 400) {
        printf("%s %d %ld %ld %ld\n", what, number, count[number], first, second);
        fflush(stdout);
    }
}

void whole_enter(long a, long b) { first = a, second = b; }

void whole_loop(int number) {
    if (is_open[number]) report("open", number);
    is_open[number] = 1, count[number] = 0;
}

static void endless(int number) {
    printf("endless %d 0 0 0\n", number);
    fflush(stdout);
    _exit(99);
}

void whole_tick(int number) {
    if (++count[number] > 1000000) endless(number);
}

/* Calls in calls: there is less room on a stack. */
void whole_deep(int number) {
    if (++count[number] > 10000) endless(number);
}

void whole_left(int number) {
    is_open[number] = 0;
    report("left", number);
}

void whole_error(int line) {
    for (int number = 0; number < 64; number++)
        if (is_open[number]) report("open", number);
    printf("error %d 0 0 0\n", line);
    fflush(stdout);
    _exit(98);
}
