// GNU C that real code uses.
int counted(int n) {
    return ({ int twice = n * 2; twice + 1; });
}

int first(int *p, int fallback) {
    return *p ?: fallback;
}

static void release(int *p) { *p = 0; }

int cleaned(int n) {
    int guard __attribute__((cleanup(release))) = n;
    if (n > 3)
        return guard;
    return 0;
}

int total(int count, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, count);
    int sum = 0;
    while (count-- > 0)
        sum += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return sum;
}

unsigned swapped(unsigned x) { return __builtin_bswap32(x) + __builtin_popcount(x); }

int adds(int a, int b, int *sum) { return __builtin_add_overflow(a, b, sum); }

int assembled(int x) {
    int y;
    __asm__("bsr %1, %0" : "=r"(y) : "r"(x));
    return y;
}

typedef int four __attribute__((vector_size(8)));
four lanes(four a, four b) { return a * b + 1; }
/* becomes
function counted(%n: i32) -> i32
b0:
  check signed-overflow !overflows(%n * 2:i32)
  %twice := %n * 2:i32
  check signed-overflow !overflows(%twice + 1:i32)
  return %twice + 1:i32
function first(%p: ptr, %fallback: i32) -> i32
b0:
  check readable %p, 4:u64
  %t2 := load %p
  %t3 := %t2
  if %t2 != 0:i32 goto b1 else b2
b1:
  %t0 := %t3
  goto b3
b2:
  %t0 := %fallback
  goto b3
b3:
  return %t0
function release(%p: ptr)
b0:
  check writable %p, 4:u64
  store %p := 0:i32
  return
function cleaned(%n: i32) -> i32
b0:
  begin guard
  store &guard := %n
  if 3:i32 < %n goto b1 else b2
b1:
  %t2 := load &guard
  call release(&guard)
  return %t2
b2:
  call release(&guard)
  return 0:i32
function total(%count: i32, ...) -> i32
b0:
  begin list
  variadic start &list
  %sum := 0:i32
  goto b1
b1: loop while
  %t0 := %count
  check signed-overflow !overflows(%count - 1:i32)
  %count := %count - 1:i32
  if 0:i32 < %t0 goto b2 else b3
b2: body
  %t2 := variadic next &list
  check signed-overflow !overflows(%sum + %t2)
  %sum := %sum + %t2
  goto b1
b3:
  variadic end &list
  return %sum
function swapped(%x: u32) -> u32
b0:
  return swap_bytes(%x) + u32(i32(count_ones(%x)))
function adds(%a: i32, %b: i32, %sum: ptr) -> i32
b0:
  %t2 := %a + %b
  check writable %sum, 4:u64
  store %sum := %t2
  return i32(u8(overflows(%a + %b) | (%t2 != %t2)))
function assembled(%x: i32) -> i32
b0:
  unknown "inline assembler"
  %y := unknown "inline assembler"
  return %y
function lanes(%result: ptr by_value 8, %a: ptr by_value 8, %b: ptr by_value 8)
b0:
  begin a
  copy &a, %a, 8:u64
  begin b
  copy &b, %b, 8:u64
  begin "value 2"
  %t0 := load overlaid &a
  %t1 := load overlaid &b
  %"value 3.0" := %t0 * %t1
  %t2 := load overlaid &a + 4:i64
  %t3 := load overlaid &b + 4:i64
  %"value 3.4" := %t2 * %t3
  %"value 4.0" := 1:i32
  %"value 4.4" := 1:i32
  store &"value 2" := %"value 3.0" + %"value 4.0"
  store &"value 2" + 4:i64 := %"value 3.4" + %"value 4.4"
  check writable %result, 8:u64
  copy %result, &"value 2", 8:u64
  return
*/
