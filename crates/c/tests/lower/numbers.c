// Promotions, conversions and the obligations of arithmetic.
int narrow(signed char a, unsigned char b) {
    a += b;
    return a << 2 | b >> 1;
}

unsigned wraps(unsigned a, unsigned b) {
    return a * b - 1u;
}

long divides(long a, long b) {
    return a / b + a % 7 - a / -1;
}

int mixed(int i, unsigned u, double d) {
    i /= 0.5;
    return i < u ? (int)d : (_Bool)d;
}

int shifts(int value, long by) {
    return value << by;
}
/* becomes
function narrow(%a: i8, %b: u8) -> i32
b0:
  check signed-overflow !overflows(i32(%a) + i32(%b))
  %a := i8(i32(%a) + i32(%b))
  check shift !overflows(i32(%a) << 2:i32)
  return (i32(%a) << 2:i32) | (i32(%b) >> 1:i32)
function wraps(%a: u32, %b: u32) -> u32
b0:
  return (%a * %b) - 1:u32
function divides(%a: i64, %b: i64) -> i64
b0:
  check division-by-zero %b != 0:i64
  check signed-overflow !overflows(%a / %b)
  %t3 := %a / %b
  %t4 := %a % 7:i64
  check signed-overflow !overflows(%t3 + %t4)
  check signed-overflow !overflows(%a / -1:i64)
  %t6 := %t3 + %t4
  %t7 := %a / -1:i64
  check signed-overflow !overflows(%t6 - %t7)
  return %t6 - %t7
function mixed(%i: i32, %u: u32, %d: f64) -> i32
b0:
  %i := i32(f64(%i) / 0.5:f64)
  if u32(%i) < %u goto b1 else b2
b1:
  %t2 := i32(%d)
  goto b3
b2:
  %t2 := i32(u8(%d != 0.0:f64))
  goto b3
b3:
  return %t2
function shifts(%value: i32, %by: i64) -> i32
b0:
  check shift (0:i64 <= %by) & (%by < 32:i64)
  check shift !overflows(%value << %by)
  return %value << %by
*/
