// Contracts as users of CBMC write them.
#include <stdint.h>
#include <stdlib.h>

struct buffer {
    size_t length;
    uint8_t *bytes;
};

int total;

int sum(const uint32_t a, const uint32_t b, uint32_t *out)
__CPROVER_requires(__CPROVER_is_fresh(out, sizeof(*out)))
__CPROVER_assigns(*out)
__CPROVER_ensures(__CPROVER_return_value == 0 || __CPROVER_return_value == -1)
__CPROVER_ensures((__CPROVER_return_value == 0) ==> (*out == (a + b)))
{
    uint64_t result = (uint64_t)a + b;
    if (result > UINT32_MAX)
        return -1;
    *out = (uint32_t)result;
    return 0;
}

int clear(struct buffer *b)
__CPROVER_requires(b != NULL && __CPROVER_is_fresh(b, sizeof(*b)))
__CPROVER_requires(b->length > 0 && __CPROVER_is_fresh(b->bytes, b->length))
__CPROVER_assigns(__CPROVER_object_whole(b->bytes), total)
__CPROVER_ensures(total == __CPROVER_old(total) + 1)
__CPROVER_ensures(b->length == __CPROVER_old(b->length))
{
    size_t i = 0;
    while (i < b->length)
    __CPROVER_assigns(i)
    __CPROVER_loop_invariant(i <= __CPROVER_loop_entry(i) + 5)
    __CPROVER_decreases(10 - i)
    {
        b->bytes[i++] = 0;
    }
    total++;
    return 0;
}

int scan(int *a, size_t n, int limit)
__CPROVER_requires(n <= 1000)
__CPROVER_requires(__CPROVER_rw_ok(a, n * sizeof(int)))
__CPROVER_requires(__CPROVER_forall { size_t i; (0 <= i && i < n) ==> a[i] >= 0 })
__CPROVER_requires(limit < n)
__CPROVER_requires(n - 1 < 5)
{
    return a[0] + limit;
}

int main(void) { return 0; }
/* is read as
clear
  object b: 16 bytes
  object b+8: start(b.u8[0]) bytes, changed
  requires start(b.u8[0]) > 0
  ensures total == start(total) + 1
  ensures b.u8[0] == start(b.u8[0])
  assigns total
scan
  object a: 4 * start(n) bytes
  requires start(n) <= 1000
  requires every(i, 0, start(n), start(a.s4[i]) >= 0)
  requires start(limit) % 18446744073709551616 < start(n)
  requires (start(n) - 1) % 18446744073709551616 < 5
  assigns nothing
  assuming a is an object of its own
sum
  object out: 4 bytes, changed
  ensures $result == 0 || $result == -1
  ensures !($result == 0) || out.u4[0] == (start(a) + start(b)) % 4294967296
  assigns nothing
loop in clear at 33:5
  invariant i <= (entry(i) + 5) % 18446744073709551616
  variant (-1 * i + 10) % 18446744073709551616
  assigns i
28:19 in clear: assigns of what `b` points to: only that some of it changes is kept
*/
