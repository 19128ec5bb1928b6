// Every kind of loop has a head that each iteration passes, whatever leaves or continues it.
int every_kind(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 3)
            continue;
        sum += i;
    }
    while (sum > 100)
        sum -= 7;
    do {
        if (sum == 5)
            break;
        sum++;
    } while (sum < 50 && n != 0);
    return sum;
}

// A jump into the body makes a loop with two entries.
int irreducible(int n) {
    if (n > 0)
        goto inside;
    while (n < 10) {
        n += 2;
    inside:
        n += 3;
    }
    return n;
}
/* becomes
function every_kind(%n: i32) -> i32
b0:
  %sum := 0:i32
  %i := 0:i32
  goto b1
b1: loop for
  if %i < %n goto b2 else b5
b2: body
  if %i == 3:i32 goto b3 else b4
b3:
  check signed-overflow !overflows(%i + 1:i32)
  %i := %i + 1:i32
  goto b1
b4:
  check signed-overflow !overflows(%sum + %i)
  %sum := %sum + %i
  goto b3
b5: loop while
  if 100:i32 < %sum goto b6 else b7
b6: body
  check signed-overflow !overflows(%sum - 7:i32)
  %sum := %sum - 7:i32
  goto b5
b7: loop do
  if %sum == 5:i32 goto b8 else b9
b8:
  return %sum
b9:
  check signed-overflow !overflows(%sum + 1:i32)
  %sum := %sum + 1:i32
  if %sum < 50:i32 goto b10 else b8
b10:
  if %n != 0:i32 goto b7 else b8
function irreducible(%n: i32) -> i32
b0:
  if 0:i32 < %n goto b1 else b2
b1:
  check signed-overflow !overflows(%n + 3:i32)
  %n := %n + 3:i32
  goto b2
b2: loop while
  if %n < 10:i32 goto b3 else b4
b3: body
  check signed-overflow !overflows(%n + 2:i32)
  %n := %n + 2:i32
  goto b1
b4:
  return %n
*/
