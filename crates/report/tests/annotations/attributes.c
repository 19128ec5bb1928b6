// What declarations promise of pointers, and what they only make likely.
#include <stddef.h>

struct counted {
    int size;
    short *data __attribute__((counted_by(size)));
};

__attribute__((nonnull(1), access(read_only, 2, 3)))
int read_all(char *p, const short *q, unsigned n);
int read_all(char *p, const short *q, unsigned n) { return *p + (n ? q[0] : 0); }

enum { ROWS = 4 };

int matrix(int rows, int a[static ROWS], int b[rows], double c[static 2 * 8]) { return a[0] + b[0] + (int)c[0]; }

//@ requires \valid(s);
int use(struct counted *s) { return s->size; }

int main(void) { return 0; }
/* is read as
matrix
  object a: 16 bytes, changed
  object c: 128 bytes, changed
  assuming a is an object of its own
  assuming a and c are apart
  assuming c is an object of its own
read_all
  object p: 0 bytes, changed
  object q: 2 * start(n) bytes
  assuming p is an object of its own
  assuming p and q are apart
  assuming q is an object of its own
use
  object s: 16 bytes, changed
  assuming s is an object of its own
hint for matrix at 15:48: b: 4 * start(rows) bytes, changed
hint for use at 18:5: s+8: 2 * start(s.s4[0]) bytes, changed
*/
