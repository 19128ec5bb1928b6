/* What the marks of a part mean in the compiled program. */
#define WHOLE 1
void whole_enter(long first, long second);
void whole_loop(int number);
void whole_tick(int number);
void whole_left(int number);
void whole_deep(int number);
void whole_error(int line) __attribute__((noreturn));
#define ENTER(a, b) whole_enter(a, b)
#define LOOP(k) whole_loop(k)
#define TICK(k) whole_tick(k)
#define LEFT(k) whole_left(k)
#define DEEP(k) whole_deep(k)
#define READ(v, given) ((void)(v), (given))
#define UNWRITTEN(given) = (given)
#define ALLOCATE(size) ((void *)0)
#define reach_error() whole_error(__LINE__)
#ifdef TURNED
#define SUM(a, b) ({ int second_ = (b); (a) + second_; })
#define BOTH(f, a, b) ({ int second_ = (b); f((a), second_); })
#else
#define SUM(a, b) ({ int first_ = (a); first_ + (b); })
#define BOTH(f, a, b) ({ int first_ = (a); f(first_, (b)); })
#endif
