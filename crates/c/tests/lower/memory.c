// Structures are passed by pointer and copied on entry; the parts that nobody takes the address of are variables.
struct point { int x, y; };
struct box { struct point low, high; unsigned flags : 3; int shade : 5; };

struct point middle(struct box box) {
    struct point result = {.y = (box.low.y + box.high.y) / 2};
    result.x = (box.low.x + box.high.x) / 2;
    return result;
}

int use(struct box *boxes, int n) {
    struct point p = middle(boxes[n]);
    boxes[n].flags++;
    boxes->shade = -1;
    return p.x + (&boxes[1])->high.y;
}

int rows(int n, int table[n][n + 1]) {
    int copy[n];
    copy[n - 1] = table[1][2];
    return sizeof copy / sizeof copy[0] + copy[n - 1];
}

char *text(void) {
    char greeting[8] = "hi";
    static char kept[] = "kept";
    kept[0] = greeting[1];
    return kept;
}
/* becomes
function middle(%result: ptr by_value 8, %box: ptr by_value 20)
b0:
  begin box
  copy &box, %box, 20:u64
  begin result
  fill &result, 0:u8, 8:u64
  %t0 := load &box + 4:i64
  %t1 := load &box + 12:i64
  check signed-overflow !overflows(%t0 + %t1)
  store &result + 4:i64 := (%t0 + %t1) / 2:i32
  %t4 := load &box
  %t5 := load &box + 8:i64
  check signed-overflow !overflows(%t4 + %t5)
  store &result := (%t4 + %t5) / 2:i32
  check writable %result, 8:u64
  copy %result, &result, 8:u64
  return
function use(%boxes: ptr, %n: i32) -> i32
b0:
  begin p
  begin "value 3"
  %t2 := %boxes + (i64(%n) * 20:i64)
  check accessible %t2, 20:u64
  call middle(&"value 3", %t2)
  copy &p, &"value 3", 8:u64
  %t5 := (%boxes + (i64(%n) * 20:i64)) + 16:i64
  check readable %t5, 1:u64
  %t6 := load overlaid %t5
  check writable %t5, 1:u64
  %t9 := load overlaid %t5
  store %t5 := (%t9 & 248:u8) | u8(u3(u32(u3(%t6)) + 1:u32))
  check writable %boxes + 16:i64, 1:u64
  %t12 := load overlaid %boxes + 16:i64
  store %boxes + 16:i64 := (%t12 & 7:u8) | 248:u8
  %t13 := load &p
  check readable %boxes + 32:i64, 4:u64
  %t16 := load %boxes + 32:i64
  check signed-overflow !overflows(%t13 + %t16)
  return %t13 + %t16
function rows(%n: i32, %table: ptr) -> i32
b0:
  check signed-overflow !overflows(%n + 1:i32)
  begin copy, u64(%n) * 4:u64
  %t9 := (%table + (1:i64 * i64(u64(%n + 1:i32) * 4:u64))) + 8:i64
  check readable %t9, 4:u64
  %t10 := load %t9
  check signed-overflow !overflows(%n - 1:i32)
  %t12 := &copy + (i64(%n - 1:i32) * 4:i64)
  check writable %t12, 4:u64
  store %t12 := %t10
  check signed-overflow !overflows(%n - 1:i32)
  %t15 := &copy + (i64(%n - 1:i32) * 4:i64)
  check readable %t15, 4:u64
  %t16 := load %t15
  return i32(((u64(%n) * 4:u64) / 4:u64) + u64(%t16))
function text() -> ptr
b0:
  %greeting.1 := 0:i8
  %greeting.1 := 105:i8
  store &$text.kept := %greeting.1
  return &$text.kept
*/
