/* What do these functions require of their callers? Run `loopscope contracts examples/contracts.c`. */

struct stack { int *items; int size; int used; };

void clear(int *items, int count) {
    for (int i = 0; i < count; i++)
        items[i] = 0;
}

int find(const int *items, int count, int wanted) {
    for (int i = 0; i < count; i++)
        if (items[i] == wanted)
            return i;
    return -1;
}

int top(const struct stack *s) {
    return s->items[s->used - 1];
}

/*@ requires 0 <= n <= 1000;
    assigns \nothing;
    ensures \result == n * n; */
int square(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += n;
    return sum;
}

/*@ requires n > 0;
    ensures \result < n; */
int half(int n) {
    return n / 2 + 1;
}
