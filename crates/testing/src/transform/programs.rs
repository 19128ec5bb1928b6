//! Programs to transform: some that are written down, and random ones whose functions call themselves and each other.

use std::fmt::Write;

use crate::random::Random;

/// Programs with recursion, memory, variables that others change, jumps and volatile objects.
pub const WRITTEN: [&str; 23] = [
    // A function that calls itself twice, with results.
    "int fib(int n) { if (n < 2) return n; int a = fib(n - 1); return a + fib(n - 2); }
     int main(void) { return fib(6) & 127; }",
    // Mutual recursion with parameters of several types.
    "extern unsigned char nondet(void);
     int odd(unsigned n, char tag);
     int even(unsigned n) { if (n == 0) return 1; return odd(n - 1, 'e'); }
     int odd(unsigned n, char tag) { if (n == 0) return tag == 'x'; return even(n - 1); }
     int third(long k) { return k > 0 ? even(5) + third(k - 2) : 0; }
     int main(void) { return even(nondet() & 15) + odd(7, 'm') + third(5); }",
    // A global that callees change, and what is read again after them.
    "static int count = 3; int shared = 1; unsigned char narrow;
     static void bump(int by) { count += by; shared ^= count; narrow += 100; }
     int main(void) { int seen = 0; for (int i = 0; i < 5; i++) { int before = count; bump(i);
       if (count != before) seen += shared; if (narrow > 100) seen++; } return seen & 63; }",
    // Walks through strings, with copies of pointers.
    "static int length(const char *s) { const char *p = s; while (*p) p++; return p - s; }
     static void copy(char *to, const char *from) { while ((*to++ = *from++)) ; }
     int main(void) { char a[16], b[16]; copy(a, \"hello\"); copy(b, a + 1); char *end = b + length(b);
       while (end > b && end[-1] != 'e') end--; return length(a) + length(b) + (end - b); }",
    // Cells that a loop reads and leaves alone, beside what it writes.
    "struct s { int limit; int step; int sum; };
     static int run(struct s *p, int *other) { int i = 0; while (i < p->limit) { i += p->step; p->sum += i; }
       *other = p->sum; while (i > *other - p->sum) i--; return p->sum; }
     int main(void) { struct s one = { 10, 3, 0 }; int x; int r = run(&one, &x); one.step = 2; r += run(&one, &one.limit);
       return (r + x) & 127; }",
    // Counters in memory, that are written in other ways as well.
    "struct s { int k; int n; short low; }; struct s global;
     static int one(struct s *p, int *other) { int r = 0; for (p->n = 0; p->n < 6; p->n++) { *other += 1; r++; } return r; }
     static int two(struct s *t, int i, int j) { int r = 0; for (t[i].n = 0; t[i].n < 5; t[i].n++) { t[j].n += r & 1; r++; } return r; }
     static int three(struct s by) { int local[4] = { 0, 0, 0, 0 }, r = 0; while (by.n > 0) { by.n--; local[by.n & 3]++; r += local[0]; } return r; }
     static int four(int *p) { char *byte = (char *)p; int r = 0; while (*p > 0) { *byte -= 1; --*p; r++; } return r; }
     int main(void) { struct s a[3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }; int n = 9, r;
       r = one(a, &n) + one(a + 1, &a[1].n) + one(&global, &global.k) + two(a, 1, 2) + two(a, 2, 2) + three(a[2]);
       r += four(&n); while (global.n > 0) { global.n--; r += one(&a[2], &r); } return (r + n) & 127; }",
    // Places that move while something is kept in them.
    "struct list { int left; struct list *next; }; struct list *cursor; static struct list *kept;
     static int walk(struct list *p, int n) { int r = 0; while (p && p->left > 0) { p->left--; if (r++ > n) p = p->next; } return r; }
     static int drain(void) { int r = 0; while (cursor && cursor->left < 9) { cursor->left++; r++;
         if (cursor->left == 7) { struct list *old = cursor; cursor = cursor->next; old->left = 8; } } return r; }
     static int hidden(int **where, int *to) { int r = 0; for (**where = 0; **where < 4; ++**where) { r += **where; if (r == 3) *where = to; } return r; }
     int main(void) { struct list a = { 5, 0 }, b = { 6, &a }, c = { 3, &b }; int x = 1, y = 2, *w = &x; kept = &c; cursor = kept;
       int r = walk(&c, 4); c.left = 2; r += drain() + hidden(&w, &y); return (r + a.left + b.left + c.left + x + y) & 127; }",
    // Callees that change little: nothing, one variable, memory.
    "static int one, two; int shown = 1; struct s { int n; int k; };
     static int nothing(int a) { int own[2] = { a, 1 }; return own[a & 1] + one; }
     static void first(int v) { one = v; } static void deep(int v) { if (v > 0) { first(v); deep(v - 1); } }
     static void memory(struct s *p, int v) { if (v & 1) p->n += v & 2; else p->k = v; }
     static int run(struct s *p, int v) { int r = 0; for (p->n = 0; p->n < 5; p->n++) { r += nothing(p->n); if (r > v) two++; }
       int before = two; deep(v); if (before == two) r++; while (p->n > 0) { p->n--; memory(p, v + p->n); r += p->k; }
       while (shown < 4 && one >= 0) { shown++; first(shown - 2); } return r; }
     int main(void) { struct s a = { 1, 2 }; return (run(&a, 3) + run(&a, 6) + one + two + shown) & 127; }",
    // Volatile objects, and a jump into a loop.
    "volatile int flag = 2; int tries;
     int main(void) { int i = 0, n = 0; if (flag) goto inside; while (i < 4) { n += 2; inside: i++; n += flag; }
       again: if (n > 3 && tries < 3) { tries++; n -= flag; goto again; } return n + tries; }",
    // Exported variables that other files change, directly and in callbacks.
    "int shown = 5; static int kept = 1; char *name; double scale = 0.5;
     int ask(int n);
     void outside_change(int v) { shown = v; scale = v * 2.0; name = \"changed\"; if (v > 2) ask(v - 2); }
     int ask(int n) { kept += n; int old = shown; outside_change(n); return shown - old + kept; }
     int main(void) { int r = 0; for (int i = 0; i < 6; i++) { r += ask(i); if (scale > 3.0) r++; if (name) r += name[0] == 'c'; }
       return r & 63; }",
    // Functions that could not be represented may change everything.
    "static int inner = 1; static int table[4] = { 1, 2, 3, 4 };
     void unsupported_change(int v) { inner += v; table[v & 3] = v; }
     static int read(void) { int before = inner + table[1]; unsupported_change(1); return inner + table[1] - before; }
     int main(void) { return read() + read(); }",
    // A store through an unknown pointer that changes an exported variable.
    "int exported = 1; unsigned second = 7;
     static void hidden_exported(int v) { exported = v; }
     static void hidden_second(int v) { second = v; }
     static int through(int *p, int v) { int before = exported; *p = v; hidden_exported(v);
       if (exported != before) v++; p[1] = v; hidden_second(v); return v + exported + second; }
     int main(void) { int a[2] = { 0, 0 }; return through(a, 4) + through(a, 9) + a[1]; }",
    // A list that is made and freed, with recursion over it.
    "typedef unsigned long size_t; void *malloc(size_t); void free(void *);
     struct node { int value; struct node *next; };
     static struct node *make(int n) { if (n <= 0) return 0; struct node *one = malloc(sizeof *one); if (!one) return 0;
       one->value = n * n; one->next = make(n - 1); return one; }
     static int sum(struct node *list) { return list ? list->value + sum(list->next) : 0; }
     static void drop(struct node *list) { if (!list) return; struct node *next = list->next; free(list); drop(next); }
     int main(void) { struct node *list = make(5); int s = sum(list); for (struct node *p = list; p; p = p->next) s += p->value & 1;
       drop(list); return s & 127; }",
    // Calls that are last, with memory that they change.
    "int data[10]; unsigned char calls;
     void right(int i);
     void left(int i) { data[i] += i; calls++; if (i < 8) right(i + 1); }
     void right(int i) { data[i] -= 1; if (data[i - 1] > 2) left(i + 1); else if (i < 9) right(i + 1); }
     int main(void) { int start = 1; data[0] = 7; left(start); return 0; }",
    // Gcd, Ackermann and a function with objects of its own that callees change.
    "static unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }
     static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
     static int fill(int n, int *out) { int own[3] = { n, n + 1, n + 2 }; if (n > 0) own[1] += fill(n - 1, &own[n % 3]);
       *out += own[0] + own[2]; return own[1]; }
     int main(void) { int x = 1; return (gcd(84, 36) + ack(2, 2) + fill(4, &x) + x) & 127; }",
    // Calls through pointers and from the library.
    "typedef unsigned long size_t; void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
     static int compared; static int less(const void *a, const void *b) { compared++; return *(const int *)a - *(const int *)b; }
     static int twice(int n) { return n > 3 ? twice(n - 3) * 2 : n; } static int once(int n) { return n + compared; }
     int main(void) { int a[5] = { 5, 2, 9, 1, 7 }; qsort(a, 5, sizeof a[0], less);
       int (*f[2])(int) = { twice, once }; int r = 0; for (int i = 0; i < 5; i++) r += f[i & 1](a[i]); return r & 127; }",
    // Objects that begin again, arrays of variable length, aggregates by value.
    "struct pair { int x; double y; }; static struct pair swap(struct pair p) { struct pair q = { (int)p.y, p.x }; return q; }
     int main(void) { int total = 0; for (int i = 1; i < 5; i++) { int v[i]; int once[2]; int *p = i & 1 ? v : once;
       for (int j = 0; j < i; j++) v[j] = j; *p = i; struct pair q = { i, 2.5 }; q = swap(swap(q)); total += v[i - 1] + q.x; }
       return total & 127; }",
    // Variable arguments, floating point numbers, and a call that does not return.
    "typedef __builtin_va_list va_list; void exit(int) __attribute__((noreturn));
     static int add(int n, ...) { va_list list; __builtin_va_start(list, n); int s = 0;
       while (n-- > 0) s += __builtin_va_arg(list, int); __builtin_va_end(list); return s; }
     static double half(double d) { return d > 1 ? half(d / 2) : d; } static float last;
     static void leave(int code) { if (code > 3) exit(code); last += 0.25f; }
     int main(void) { double d = half(37.5); int r = add(3, 1, 2, 3); leave(r - 4); if (last > 0.2f && d > 0.5) r++; leave(r); return 0; }",
    // Calls in calls in a circle of three, beside a recursion of one of them, and a recursion of main.
    "int depth; int b(int n, int *p); int c(short n);
     int a(int n) { int x = n; depth++; if (n <= 0) return 0; int r = b(n - 1, &x); return r + x + a(n - 3); }
     int b(int n, int *p) { *p += n; return c((short)(n - 1)) + c((short)(n / 2)); }
     int c(short n) { return n > 0 ? a(n - 1) : depth; }
     int main(int argc, char **argv) { if (depth > 12) return depth & 63; int r = a(4); return main(argc, argv) + (r & 1); }",
    // Uninitialised variables, in every call of its own.
    "static int f(int n) { int u; int r = n; if (n & 1) u = n * 100; r += u & 255; if (n > 0) r += f(n - 1); return r & 127; }
     static int g(int n); static int h(int n) { int w; if (n > 4) w = 77; return n > 0 ? g(n - 1) + (w & 63) : w & 3; }
     static int g(int n) { int w; if (n & 2) w = 5; int s = w & 31; return n > 0 ? s + h(n - 1) : s; }
     int main(void) { return (f(4) + g(6)) & 127; }",
    // A variable array and pointers that several calls share.
    "extern unsigned __VERIFIER_nondet_uint(void);
     static unsigned walk(unsigned *from, unsigned *to, unsigned n) { unsigned *p = from, s = 0; while (p != to) { s += *p; p += 1; }
       if (n == 0 || to - from < 2) return s; unsigned *middle = from + (to - from) / 2; *middle = s;
       return walk(from, middle, n - 1) + walk(middle, to, n - 1); }
     int main(void) { unsigned a[9]; for (int i = 0; i < 9; i++) a[i] = __VERIFIER_nondet_uint() & 15; return walk(a, a + 9, 3) & 127; }",
    // A loop after a call in a recursion: no chain may leave it out.
    "int data[4]; void down(int n) { if (n > 0) down(n - 1); for (int i = 0; i < 3; i++) data[i] += n; }
     int main(void) { int start = 4; down(start); return 0; }",
    // A byte of a number that a loop reads, and objects that last as long as the call.
    "union both { int number; unsigned char bytes[4]; };
     static int mixed(union both *p) { int i = 0, s = 0; while (i < 4) { s += p->number & 1023; p->bytes[1] = i; i++; }
       while (i > 0) { s += p[1].number; p->number = s; i--; } return s; }
     int main(void) { union both a[2]; a[0].number = 7; a[1].number = 3; int r = mixed(a); for (int i = 1; i < 4; i++) {
       char *m = __builtin_alloca(i); m[i - 1] = i; r += m[i - 1]; } return r & 127; }",
];

/// A program whose functions `f0` to `f2` call themselves and each other, at most so deep as their first parameter says.
/// In some programs calls are the last thing that functions do.
pub fn recursive(seed: u64) -> String {
    let mut writer = Writer {
        random: Random::new(seed ^ 0x7472_616e),
        text: String::new(),
        is_tail: seed.is_multiple_of(3),
    };
    writer.program();
    writer.text
}

const TYPES: [&str; 5] = ["unsigned", "unsigned char", "unsigned short", "unsigned long", "unsigned"];

struct Writer {
    random: Random,
    text: String,
    /// Whether calls come last.
    is_tail: bool,
}

impl Writer {
    fn program(&mut self) {
        self.text.push_str(
            "extern unsigned __VERIFIER_nondet_uint(void);\nunsigned g0 = 3; static unsigned g1; unsigned char g2 = 9;\n\
             volatile unsigned vol = 5; unsigned array[8]; static unsigned *gp = array + 2; double ratio = 1.5;\n",
        );
        let types: Vec<&str> = (0..3).map(|_| *self.random.pick(&TYPES)).collect();
        let result = if self.is_tail { "void" } else { "unsigned" };
        for (number, ty) in types.iter().enumerate() {
            _ = writeln!(self.text, "static {result} f{number}(int n, {ty} a, unsigned *p);");
        }
        self.text.push_str(
            "static unsigned helper(unsigned v) { g1 += v; array[v & 7] ^= g1; g2++; return g1 & v; }\n",
        );
        self.text.push_str("static void lone(unsigned v) { vol = v; ratio = ratio / 2 + v % 4; }\n");
        for (number, ty) in types.iter().enumerate() {
            _ = writeln!(self.text, "static {result} f{number}(int n, {ty} a, unsigned *p) {{");
            self.function(number);
            self.text.push_str("}\n");
        }
        let (first, depth) = (self.random.below(3), self.random.range(2, 4));
        let call = format!("f{first}({depth}, __VERIFIER_nondet_uint(), array)");
        let call = match self.is_tail {
            true => format!("lone(3); {call}; return 0;"),
            false => format!(
                "unsigned own[4] = {{ 1, 2, 3, 4 }}; unsigned r = {call}; r += f{}(2, 5, own); return r & 63;",
                self.random.below(3)
            ),
        };
        _ = writeln!(self.text, "int main(void) {{ {call} }}");
    }

    fn function(&mut self, number: usize) {
        self.text.push_str("    unsigned x = a, y = 1, *q = p;\n");
        let has_array = !self.is_tail && self.random.chance(50);
        if has_array {
            self.text.push_str("    unsigned own[4] = { 1, a, 3 };\n");
        }
        for _ in 0..self.random.range(1, 4) {
            self.statement();
        }
        let calls = if self.is_tail { 0 } else { self.random.range(1, 2) };
        for _ in 0..calls {
            let call = self.call(number, has_array);
            let condition = self.condition();
            _ = writeln!(self.text, "    if (n > 0 && {condition}) x += {call};");
            if self.random.chance(60) {
                self.statement();
            }
        }
        if self.is_tail {
            let (condition, one, other) =
                (self.condition(), self.call(number, false), self.call(number, false));
            _ = writeln!(self.text, "    if (n <= 0) return;\n    if ({condition}) {one}; else {other};");
        } else {
            self.text.push_str("    return x ^ y;\n");
        }
    }

    fn call(&mut self, own: usize, has_array: bool) -> String {
        let callee = if self.random.chance(45) { own } else { self.random.below(3) };
        let pointers: &[&str] = if has_array {
            &["p", "q", "own", "array", "array + 1", "&own[0]"]
        } else {
            &["p", "array", "array + 2", "gp"]
        };
        let pointer = *self.random.pick(pointers);
        let value = self.value();
        format!("f{callee}(n - {}, {value}, {pointer})", self.random.range(1, 2))
    }

    fn value(&mut self) -> String {
        let atoms = [
            "x",
            "y",
            "a",
            "g0",
            "g1",
            "g2",
            "p[0]",
            "p[1]",
            "*q",
            "array[x & 7]",
            "vol",
            "7",
            "(unsigned)n",
            "__VERIFIER_nondet_uint()",
            "(unsigned)ratio",
        ];
        let (one, other) = (*self.random.pick(&atoms), *self.random.pick(&atoms));
        match self.random.below(6) {
            0 => format!("{one} * 3u + {other}"),
            1 => format!("({one} ^ {other})"),
            2 => format!("({one} > {other} ? {one} : 2u)"),
            3 => format!("({one} % 17u - {other})"),
            _ => one.to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (one, other) = (self.value(), self.value());
        let ways = ["<", "!=", ">=", "==", "<="];
        if self.random.chance(50) {
            format!("({one}) % 4u {} 1u", self.random.pick(&ways))
        } else {
            format!("({one}) {} ({other})", self.random.pick(&ways))
        }
    }

    fn statement(&mut self) {
        let (value, other, condition) = (self.value(), self.value(), self.condition());
        let label = self.random.below(1_000_000);
        let text = match self.random.below(14) {
            0 => format!("g0 = {value}; x += g1;"),
            1 => format!("*q = {value}; y = {other} + g0;"),
            2 => String::from("for (int i = 0; i < 3; i++) { x += p[1]; y ^= p[0] + i; }"),
            3 => {
                format!("for (unsigned *w = p; w < p + 2; w++) {{ x += *w; if ({condition}) *w = {other}; }}")
            }
            4 => format!("y = helper({value}); x += array[3];"),
            5 => String::from("vol = x; y += vol; x -= vol;"),
            6 => format!("{{ int k = 0; again{label}: k++; x += {value}; if (k < 3) goto again{label}; }}"),
            7 => format!("if ({condition}) {{ g1 = {value}; q = array + 1; }} else y--;"),
            8 => format!(
                "switch ({value} % 3u) {{ case 0: x = 1; case 1: y += x; break; default: g2 = {other}; }}"
            ),
            9 => format!("lone({value}); if (ratio > 2.5) x++;"),
            10 => String::from("gp = p; *gp += 1; if (gp == array) y++; x = *gp;"),
            11 => format!("{{ unsigned (*h)(unsigned) = helper; x += h({value}); }}"),
            12 => String::from("while (x > 5 && y < 9) { x /= 2; y += g2 & 3; }"),
            _ => format!("x = {value}; y += {other};"),
        };
        // Functions with calls that are last call nothing else through a pointer.
        let text = if self.is_tail && (text.contains("(*h)") || text.contains("gp = p")) {
            String::from("x++;")
        } else {
            text
        };
        _ = writeln!(self.text, "    {text}");
    }
}
