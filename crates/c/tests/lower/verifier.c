// What a verifier's functions mean.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
void reach_error(void) { __assert_fail("0", "file.c", 3, "reach_error"); }
extern void abort(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern unsigned long strlen(const char *);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n > 0 && n < 100);
    char *buffer = malloc(n);
    if (!buffer)
        abort();
    buffer[n - 1] = 0;
    if (strlen(buffer) >= (unsigned long)n)
        reach_error();
    free(buffer);
    return 0;
}
/* becomes
function reach_error()
b0:
  check assertion false, "0"
  call __assert_fail(&$literal, &$literal.1, 3:u32, &$literal.2)
  unreachable
function main() -> i32
b0:
  %n := input __VERIFIER_nondet_int
  if 0:i32 < %n goto b4 else b2
b1:
  %t1 := 1:i32
  goto b3
b2:
  %t1 := 0:i32
  goto b3
b3:
  assume %t1 != 0:i32
  %buffer := call malloc(u64(%n))
  if %buffer != null goto b6 else b5
b4:
  if %n < 100:i32 goto b1 else b2
b5:
  call abort()
  unreachable
b6:
  check signed-overflow !overflows(%n - 1:i32)
  %t9 := %buffer + i64(%n - 1:i32)
  check writable %t9, 1:u64
  store %t9 := 0:i8
  check accessible %buffer, 1:u64
  check terminated %buffer
  %t11 := call strlen(%buffer)
  if u64(%n) <= %t11 goto b7 else b8
b7:
  check reach-error false
  call reach_error()
  goto b8
b8:
  check freeable %buffer
  call free(%buffer)
  return 0:i32
*/
