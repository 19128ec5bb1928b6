// Names mean what they mean where the annotation stands.
int n, other;
static int table[3];

struct point { int x, y; };

#define EACH(i, to) for (i = 0; i < to; i++)

int shadowed(int n)
{
    int i = 0;
    int *p = table;
    struct point at = { 0, 0 };
    char text[4] = "abc";
    int seen = 0;
    {
        long i = n, n = 7;
        //@ loop invariant i <= n && other == \at(other, Pre);
        while (i > 0) {
            i--;
            seen++;
        }
    }
    /*@ loop invariant 0 <= i <= n && n == \at(n, Pre);
        loop invariant at.x + at.y == i && text[1] == 'b';
        loop invariant p == table || p == \null || p[0] == 1;
        loop invariant \valid(p + (0 .. n)) && \valid_read(p);
        loop invariant later == 3 && count == 0;
        loop assigns i, at.x, text[0 .. 2], *p, other;
    */
    for (int i = 0; i < n; i++) {
        static int count;
        at.x += i;
        text[i & 3] = 'x';
        *p = count++;
        other = text[1];
    }
    {
        int seen = 1;
        //@ loop invariant seen == 1;
        while (i > 3)
            i--;
    }
    int later = 3;
    //@ loop variant to - i;
    int to = n;
    /*@ loop variant to - i; */
    EACH (i, to)
        seen += later;
    //@ loop invariant seen >= 0;
    do
        seen--;
    while (seen > 0);
    return seen + at.x + at.y;
}

int *shared;

/*@ ensures shared[0] == \old(shared[1]);
    ensures \old(shared)[0] == 1;
    ensures \old(table[\result]) == 1;
*/
int pointers(void)
{
    shared++;
    return 0;
}

/*@ requires n > 0 && a > 0;
    ensures other == \old(n) + a; */
int renamed(int a);

int renamed(int b)
{
    other = n + b;
    return 0;
}

//@ ensures \result.x == a;
struct point make(int a, int *p)
//@ requires a > 3;
{
    struct point q = { a, *p };
    return q;
}

#ifdef MISSING
/*@ requires never; */
#endif
int plain(int a) { return a; }

int main(void) { return shadowed(3) + renamed(1) + make(1, &n).x + plain(2) + pointers(); }
/* is read as
renamed in part
loop in shadowed at 19:9
  invariant i#2 <= n#2
  invariant other == start(other)
loop in shadowed at 31:5
  invariant 0 <= i#3
  invariant i#3 <= n
  invariant n == start(n)
  invariant at.x + at.y == i#3
  invariant text.s1[1] == 98
  invariant 4 * n + 4 <= 0 || (offset(p) >= 0 && offset(p) + 4 * n + 4 <= size(p))
  invariant offset(p) >= 0
  invariant offset(p) + 4 <= size(p)
  assigns i#3, at.x, text, p, other
loop in shadowed at 41:9
  invariant seen#2 == 1
loop in shadowed at 48:5
  variant to - i
loop in shadowed at 51:5
  invariant seen >= 0
26:9 in shadowed: loop invariant p == table || p == \null || p[0] == 1: comparing these pointers is not supported
28:9 in shadowed: loop invariant later == 3 && count == 0: `later` is not known here
45:9 in nothing: loop variant to - i: no function or loop follows it
59:31 in pointers: ensures shared[0] == \old(shared[1]): memory is only supported in contracts if a parameter points to it
60:5 in pointers: ensures \old(shared)[0] == 1: memory is only supported in contracts if a parameter points to it
61:24 in pointers: ensures \old(table[\result]) == 1: the result has no meaning here
69:5 in renamed, needed: requires n > 0 && a > 0: memory is only supported in contracts if a parameter points to it
70:27 in renamed: ensures other == \old(n) + a: memory is only supported in contracts if a parameter points to it
79:5 in make: ensures \result.x == a: the function has no result that is a number or a pointer
81:5 in nothing, needed: requires a > 3: no function or loop follows it
88:5 in nothing, needed: requires never: directives of the preprocessor follow it
*/
