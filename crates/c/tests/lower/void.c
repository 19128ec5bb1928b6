// What a pointer to void points to is a byte.
void copy_one(void *to, void *from, int i) {
    to[i] = from[i];
}
/* becomes
function copy_one(%to: ptr, %from: ptr, %i: i32)
b0:
  %t2 := %from + i64(%i)
  check readable %t2, 1:u64
  %t3 := load %t2
  %t6 := %to + i64(%i)
  check writable %t6, 1:u64
  store %t6 := %t3
  return
*/
