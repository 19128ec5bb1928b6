/* Fills a buffer: the loop makes one iteration too many. */
extern int __VERIFIER_nondet_int(void);

#define SIZE 8

static void fill(char *buffer, int count) {
    for (int i = 0; i <= count; i++)
        buffer[i] = 'x';
}

int main(void) {
    char buffer[SIZE];
    int count = __VERIFIER_nondet_int();
    if (count < 0 || count > SIZE)
        return 0;
    fill(buffer, count);
    return 0;
}
