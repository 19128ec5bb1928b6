#ifndef WHOLE
#define ENTER(a, b)
#define LOOP(k)
#define TICK(k)
#define LEFT(k)
#define DEEP(k)
#define READ(v, given) (v)
#define UNWRITTEN(given)
#define ALLOCATE(size) malloc(size)
#define SUM(a, b) ((a) + (b))
#define BOTH(f, a, b) f(a, b)
extern void reach_error(void);
#endif
