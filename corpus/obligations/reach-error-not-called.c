// clean
// The search finds what it looks for.

extern void abort(void);
void reach_error(void) { abort(); }

int main(void) {
    int table[4] = {3, 1, 4, 1}, found = -1;
    for (int i = 0; i < 4; i++)
        if (table[i] == 4)
            found = i;
    if (found < 0)
        reach_error();
    return 0;
}
