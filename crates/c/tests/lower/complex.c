// A complex number is an object of two parts.
double _Complex turned(double _Complex z, double by) {
    z *= 1.0i;
    __real__ z += by;
    return -z + by;
}

int same(float _Complex a, float b) {
    return a == b && a;
}
/* becomes
function turned(%result: ptr by_value 16, %z: ptr by_value 16, %by: f64)
b0:
  begin z
  copy &z, %z, 16:u64
  %t0 := load &z
  %t1 := load &z + 8:i64
  store &z := (%t0 * 0.0:f64) - (%t1 * 1.0:f64)
  store &z + 8:i64 := (%t0 * 1.0:f64) + (%t1 * 0.0:f64)
  %t9 := load &z
  store &z := %t9 + %by
  %t11 := load &z
  %t12 := load &z + 8:i64
  begin "value 2"
  store &"value 2" := -%t11 + %by
  store &"value 2" + 8:i64 := -%t12 + 0.0:f64
  check writable %result, 16:u64
  copy %result, &"value 2", 16:u64
  return
function same(%a: ptr by_value 8, %b: f32) -> i32
b0:
  begin a
  copy &a, %a, 8:u64
  %t1 := load &a
  %t2 := load &a + 4:i64
  if (%t1 == %b) & (%t2 == 0.0:f32) goto b4 else b2
b1:
  %t0 := 1:i32
  goto b3
b2:
  %t0 := 0:i32
  goto b3
b3:
  return %t0
b4:
  %t4 := load &a
  %t5 := load &a + 4:i64
  if (%t4 != 0.0:f32) | (%t5 != 0.0:f32) goto b1 else b2
*/
