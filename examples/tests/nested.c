/* A nest: the input says how many iterations the outer loop makes; each has a thousand inner ones. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void exit(int);

int main(void)
{
    unsigned rows = __VERIFIER_nondet_uint();
    unsigned cells = 0;
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < 1000; j++)
            cells++;
    if (cells == 2345000)
        exit(42); /* target */
    return 0;
}
