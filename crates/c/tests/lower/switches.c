// Cases fall through, ranges stay ranges, a declaration before the first case is passed by the jump.
int sorts(int kind) {
    int weight = 0;
    switch (kind) {
        int scratch;
    case 1:
        scratch = 4;
        weight = scratch;
    case 2 ... 5:
        weight += 10;
        break;
    default:
        weight = -1;
    }
    return weight;
}

// A computed goto is a switch over the labels.
int interpret(const unsigned char *code) {
    static void *const table[] = {&&stop, &&add, &&twice};
    int value = 0;
    goto *table[*code++];
add:
    value++;
    goto *table[*code++];
twice:
    value *= 2;
    goto *table[*code++];
stop:
    return value;
}
/* becomes
function sorts(%kind: i32) -> i32
b0:
  %weight := 0:i32
  switch %kind { 1: b2, 2..5: b3, default: b4 }
b1:
  return %weight
b2:
  %scratch := 4:i32
  %weight := %scratch
  goto b3
b3:
  check signed-overflow !overflows(%weight + 10:i32)
  %weight := %weight + 10:i32
  goto b1
b4:
  %weight := -1:i32
  goto b1
function interpret(%code: ptr) -> i32
b0:
  %value := 0:i32
  %t0 := %code
  %code := %code + 1:i64
  check readable %t0, 1:u64
  %t2 := load %t0
  %t3 := &$interpret.table + (i64(i32(%t2)) * 8:i64)
  check readable %t3, 8:u64
  %t4 := load %t3
  switch u64(%t4) { 1: b3, 2: b1, 3: b2, default: b4 }
b1:
  check signed-overflow !overflows(%value + 1:i32)
  %value := %value + 1:i32
  %t7 := %code
  %code := %code + 1:i64
  check readable %t7, 1:u64
  %t9 := load %t7
  %t10 := &$interpret.table + (i64(i32(%t9)) * 8:i64)
  check readable %t10, 8:u64
  %t11 := load %t10
  switch u64(%t11) { 1: b3, 2: b1, 3: b2, default: b4 }
b2:
  check signed-overflow !overflows(%value * 2:i32)
  %value := %value * 2:i32
  %t14 := %code
  %code := %code + 1:i64
  check readable %t14, 1:u64
  %t16 := load %t14
  %t17 := &$interpret.table + (i64(i32(%t16)) * 8:i64)
  check readable %t17, 8:u64
  %t18 := load %t17
  switch u64(%t18) { 1: b3, 2: b1, 3: b2, default: b4 }
b3:
  return %value
b4:
  check unreachable false, "a jump to an address that is no label of the function"
  unreachable
*/
