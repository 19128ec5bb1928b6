// trips: reach-error at line 13
// The error function is called when the search finds nothing.

extern void abort(void);
void reach_error(void) { abort(); }

int main(void) {
    int table[4] = {3, 1, 4, 1}, found = -1;
    for (int i = 0; i < 4; i++)
        if (table[i] == 5)
            found = i;
    if (found < 0)
        reach_error();
    return 0;
}
