// C leaves the order of operands, arguments and elements open. Where somebody can tell, all orders are there.
int g;
int set(int value) { g = value; return value; }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int nondet(void);
void use(int, int);

int operands(void) { return g + set(5); }
void arguments(void) { use(g, set(5)); }
void index(int *a) { a[set(1)] = g; }
void compound(void) { g += set(1); }
void elements(int i) { int a[2] = {i++, i++}; use(a[0], a[1]); }
int three(void) { return set(1) - set(2) - set(3); }
int four(void) { return (set(1) + set(2)) - (set(3) + set(4)); }
int steps(void) { return (g > 2 && set(1)) + set(2); }

// No order here has two outcomes.
int recursion(int n) { return fib(n - 1) + fib(n - 2); }
int inputs(void) { return nondet() - nondet(); }
void defined(int *p, int *q, int x, int i) {
    x = x + 1;
    x = set(x);
    i = i + (x = 2);
    *p++ = *q++;
    x += x;
    p[i++] = q[x++];
}

// Nothing says what these mean.
int no_order(int i) { i = i++ + ++i; return i; }
void index_and_step(int *a, int i) { a[i] = i++; }
void two_arguments(int i) { use(i, i++); }
void perhaps(int *a, int i, int j) { a[i] = a[j]++; }
/* becomes
function set(%value: i32) -> i32
b0:
  $g := %value
  return %value
function fib(%n: i32) -> i32
b0:
  if %n < 2:i32 goto b1 else b2
b1:
  %t0 := %n
  goto b3
b2:
  %"order of failures" := volatile 0:u8
  switch %"order of failures" { 1: b5, 2: b6, 3: b7, default: b4 }
b3:
  return %t0
b4:
  check signed-overflow !overflows(%n - 1:i32)
  %t15 := call fib(%n - 1:i32)
  check signed-overflow !overflows(%n - 2:i32)
  %t18 := call fib(%n - 2:i32)
  check signed-overflow !overflows(%t15 + %t18)
  %t0 := %t15 + %t18
  goto b3
b5:
  check signed-overflow !overflows(%n - 1:i32)
  call fib(%n - 1:i32)
  assume false
  goto b4
b6:
  check signed-overflow !overflows(%n - 2:i32)
  assume false
  goto b4
b7:
  check signed-overflow !overflows(%n - 2:i32)
  call fib(%n - 2:i32)
  assume false
  goto b4
function operands() -> i32
b0:
  %order := input "order of evaluation"
  if %order goto b2 else b1
b1:
  %t0 := call set(5:i32)
  %t1 := $g
  goto b3
b2:
  %t1 := $g
  %t0 := call set(5:i32)
  goto b3
b3:
  check signed-overflow !overflows(%t1 + %t0)
  return %t1 + %t0
function arguments()
b0:
  %order := input "order of evaluation"
  if %order goto b2 else b1
b1:
  %t0 := call set(5:i32)
  %t1 := $g
  goto b3
b2:
  %t1 := $g
  %t0 := call set(5:i32)
  goto b3
b3:
  call use(%t1, %t0)
  return
function index(%a: ptr)
b0:
  %order := input "order of evaluation"
  if %order goto b2 else b1
b1:
  %t0 := call set(1:i32)
  %t1 := $g
  goto b3
b2:
  %t1 := $g
  %t0 := call set(1:i32)
  goto b3
b3:
  %t7 := %a + (i64(%t0) * 4:i64)
  check writable %t7, 4:u64
  store %t7 := %t1
  return
function compound()
b0:
  %order := input "order of evaluation"
  if %order goto b2 else b1
b1:
  %t0 := call set(1:i32)
  %t1 := $g
  goto b3
b2:
  %t1 := $g
  %t0 := call set(1:i32)
  goto b3
b3:
  check signed-overflow !overflows(%t1 + %t0)
  $g := %t1 + %t0
  return
function elements(%i: i32)
b0:
  %order := input "order of evaluation"
  if %order goto b2 else b1
b1:
  %t2 := %i
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  %t0 := %t2
  %t4 := %i
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  %t1 := %t4
  goto b3
b2:
  %t6 := %i
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  %t1 := %t6
  %t8 := %i
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  %t0 := %t8
  goto b3
b3:
  %a.0 := %t0
  %a.4 := %t1
  call use(%a.0, %a.4)
  return
function three() -> i32
b0:
  %order := input "order of evaluation"
  switch %order { 1: b2, 2: b3, 3: b4, 4: b5, 5: b6, default: b1 }
b1:
  %t0 := call set(1:i32)
  %t1 := call set(2:i32)
  %t2 := call set(3:i32)
  goto b7
b2:
  %t0 := call set(1:i32)
  %t2 := call set(3:i32)
  %t1 := call set(2:i32)
  goto b7
b3:
  %t1 := call set(2:i32)
  %t0 := call set(1:i32)
  %t2 := call set(3:i32)
  goto b7
b4:
  %t1 := call set(2:i32)
  %t2 := call set(3:i32)
  %t0 := call set(1:i32)
  goto b7
b5:
  %t2 := call set(3:i32)
  %t0 := call set(1:i32)
  %t1 := call set(2:i32)
  goto b7
b6:
  %t2 := call set(3:i32)
  %t1 := call set(2:i32)
  %t0 := call set(1:i32)
  goto b7
b7:
  check signed-overflow !overflows(%t0 - %t1)
  %t21 := %t0 - %t1
  check signed-overflow !overflows(%t21 - %t2)
  return %t21 - %t2
function four() -> i32
b0:
  unknown "the order of evaluation of many operands"
  %t0 := call set(1:i32)
  %t1 := call set(2:i32)
  check signed-overflow !overflows(%t0 + %t1)
  %t2 := call set(3:i32)
  %t3 := call set(4:i32)
  check signed-overflow !overflows(%t2 + %t3)
  %t4 := %t0 + %t1
  %t5 := %t2 + %t3
  check signed-overflow !overflows(%t4 - %t5)
  return %t4 - %t5
function steps() -> i32
b0:
  unknown "an order of evaluation that matters"
  if 2:i32 < $g goto b4 else b2
b1:
  %t0 := 1:i32
  goto b3
b2:
  %t0 := 0:i32
  goto b3
b3:
  %t3 := call set(2:i32)
  check signed-overflow !overflows(%t0 + %t3)
  return %t0 + %t3
b4:
  %t2 := call set(1:i32)
  if %t2 != 0:i32 goto b1 else b2
function recursion(%n: i32) -> i32
b0:
  %"order of failures" := volatile 0:u8
  switch %"order of failures" { 1: b2, 2: b3, 3: b4, default: b1 }
b1:
  check signed-overflow !overflows(%n - 1:i32)
  %t12 := call fib(%n - 1:i32)
  check signed-overflow !overflows(%n - 2:i32)
  %t15 := call fib(%n - 2:i32)
  check signed-overflow !overflows(%t12 + %t15)
  return %t12 + %t15
b2:
  check signed-overflow !overflows(%n - 1:i32)
  call fib(%n - 1:i32)
  assume false
  goto b1
b3:
  check signed-overflow !overflows(%n - 2:i32)
  assume false
  goto b1
b4:
  check signed-overflow !overflows(%n - 2:i32)
  call fib(%n - 2:i32)
  assume false
  goto b1
function inputs() -> i32
b0:
  %t0 := input nondet
  %t1 := input nondet
  check signed-overflow !overflows(%t0 - %t1)
  return %t0 - %t1
function defined(%p: ptr, %q: ptr, %x: i32, %i: i32)
b0:
  check signed-overflow !overflows(%x + 1:i32)
  %x := %x + 1:i32
  %x := call set(%x)
  %x := 2:i32
  check signed-overflow !overflows(%i + 2:i32)
  %i := %i + 2:i32
  %t6 := %q
  %q := %q + 4:i64
  check readable %t6, 4:u64
  %t8 := load %t6
  %t9 := %p
  %p := %p + 4:i64
  check writable %t9, 4:u64
  store %t9 := %t8
  check signed-overflow !overflows(%x + %x)
  %x := %x + %x
  %t15 := %x
  check signed-overflow !overflows(%x + 1:i32)
  %x := %x + 1:i32
  %t17 := %q + (i64(%t15) * 4:i64)
  check readable %t17, 4:u64
  %t18 := load %t17
  %t20 := %i
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  %t22 := %p + (i64(%t20) * 4:i64)
  check writable %t22, 4:u64
  store %t22 := %t18
  return
function no_order(%i: i32) -> i32
b0:
  check unsequenced false, "i"
  %t0 := %i
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  check signed-overflow !overflows(%i + 1:i32)
  %t3 := %i + 1:i32
  %i := %t3
  check signed-overflow !overflows(%t0 + %t3)
  %i := %t0 + %t3
  return %i
function index_and_step(%a: ptr, %i: i32)
b0:
  check unsequenced false, "i"
  %t0 := %i
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  %t4 := %a + (i64(%i) * 4:i64)
  check writable %t4, 4:u64
  store %t4 := %t0
  return
function two_arguments(%i: i32)
b0:
  check unsequenced false, "i"
  %t0 := %i
  %t1 := %i
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  call use(%t0, %t1)
  return
function perhaps(%a: ptr, %i: i32, %j: i32)
b0:
  check unsequenced (%a + (i64(%i) * 4:i64)) != (%a + (i64(%j) * 4:i64))
  %t6 := %a + (i64(%j) * 4:i64)
  check readable %t6, 4:u64
  %t7 := load %t6
  check signed-overflow !overflows(%t7 + 1:i32)
  check writable %t6, 4:u64
  store %t6 := %t7 + 1:i32
  %t11 := %a + (i64(%i) * 4:i64)
  check writable %t11, 4:u64
  store %t11 := %t7
  return
*/
