// Contracts as users of Frama-C write them.
#include <limits.h>
#include <stddef.h>

#define CAPACITY 16

struct stack {
    int used;
    unsigned char flags;
    short mode;
    int *items;
};

int count;
static int table[CAPACITY];

/*@ requires \valid(a) && \valid(b);
  @ requires \separated(a, b);
  @ assigns *a, *b;
  @ ensures *a == \old(*b) && *b == \old(*a);
  @*/
void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

/*@ requires valid: 0 < n <= 100;
    requires \valid_read(a + (0 .. n - 1));
    assigns \nothing;
    ensures \forall integer i; 0 <= i < n ==> a[i] <= \result;
    ensures \exists integer i; 0 <= i < n && a[i] == \result;
*/
int largest(const int *a, int n)
{
    int most = a[0];
    /*@ loop invariant 1 <= i <= n;
        loop invariant \forall integer k; 0 <= k < i ==> a[k] <= most;
        loop invariant \at(n, Pre) == n && \at(i, LoopEntry) == 1;
        loop assigns i, most;
        loop variant n - i;
    */
    for (int i = 1; i < n; i++)
        if (a[i] > most)
            most = a[i];
    return most;
}

/*@ behavior empty:
      assumes n == 0;
      ensures \result == -1;
    behavior some:
      assumes n > 0;
      requires n <= CAPACITY;
      ensures 0 <= \result < \old(n) || \result == INT_MAX;
    complete behaviors;
    disjoint behaviors;
*/
int position(int n)
{
    return n == 0 ? -1 : 0;
}

/*@ requires \valid(s) && s->used >= 0 && s->mode != 3;
    requires \valid(s->items + (0 .. s->used - 1));
    assigns s->used, count;
    terminates \true;
    ensures s->used == \old(s->used) - 1 && count == \old(count) + 1;
    ensures s->flags == \at(s->flags, Pre);
*/
int pop(struct stack *s)
{
    count++;
    return s->items[--s->used];
}

//@ requires x != INT_MIN;
//@ decreases x;
//@ ensures x >= 0 ==> \result == x;
//@ ensures x < 0 <==> \result != x;
//@ assigns \nothing;
int absolute(int x) { return x < 0 ? -x : x; }

/*@ requires valid_read_string(s);
    assigns \nothing;
    ensures \result == strlen(s) % 256;
*/
unsigned char length(const char *s)
{
    unsigned char n = 0;
    while (s[n])
        n++;
    return n;
}

/*@ requires p != \null;
    requires (size_t)k < sizeof(int) * 2;
    requires k / 3 == 1 ? k % 2 == 0 : k >> 1 == 2;
    assigns table[0 .. CAPACITY - 1];
    ensures table[1] == 7;
*/
void fill(void *p, unsigned k) { table[1] = p ? 7 : (int)k; }

/*@ requires \valid(a) && \separated(a, b);
    requires \separated(a, a); */
void apart(int *a, int *b) { *a = *b; }

int main(void) { return 0; }
/* is read as
absolute
  requires start(x) != -2147483648
  ensures !(start(x) >= 0) || $result == start(x)
  ensures !(start(x) < 0) || $result != start(x)
  ensures !($result != start(x)) || start(x) < 0
  assigns nothing
  decreases start(x)
apart in part
  object a: 4 bytes, changed
  assuming a is an object of its own
fill
  object p: 0 bytes, changed
  requires start(k) < 8
  requires if(start(k) / 3 == 1, if(start(k) % 2 == 0, 1, 0), if(start(k) / 2 == 2, 1, 0)) != 0
  assuming p is an object of its own
largest
  object a: 4 * start(n) bytes
  requires 0 < start(n)
  requires start(n) <= 100
  ensures every(i_, 0, start(n), a.s4[i_] <= $result)
  ensures !(every(i_, 0, start(n), !(a.s4[i_] == $result)))
  assigns nothing
  assuming a is an object of its own
  assuming a may be written
length
  object s: start(length(s)) + 1 bytes, a string
  ensures $result == length(s) % 256
  assigns nothing
  assuming s is an object of its own
  assuming s may be written
pop
  object s: 16 bytes, changed
  object s+8: 4 * start(s.s4[0]) bytes
  requires start(s.s4[0]) >= 0
  requires start(s.s2[3]) != 3
  ensures s.s4[0] == start(s.s4[0]) - 1
  ensures count == start(count) + 1
  ensures s.u1[4] == start(s.u1[4])
  assigns count
  terminates true
  assuming s is an object of its own
  assuming s and s+8 are apart
  assuming s+8 is an object of its own
position
  requires !(start(n) > 0) || start(n) <= 16
  ensures !(start(n) == 0) || $result == -1
  ensures !(start(n) > 0) || ((0 <= $result && $result < start(n)) || $result == 2147483647)
swap
  object a: 4 bytes, changed
  object b: 4 bytes, changed
  ensures a.s4[0] == start(b.s4[0])
  ensures b.s4[0] == start(a.s4[0])
  assigns nothing
  assuming a is an object of its own
  assuming b is an object of its own
loop in largest at 44:5
  invariant 1 <= i
  invariant i <= n
  invariant every(k, 0, i, a.s4[offset(a) / 4 + k] <= most)
  invariant start(n) == n
  invariant entry(i) == 1
  variant n - i
  assigns i, most
57:5 in position: complete behaviors: `complete` is not supported
58:5 in position: disjoint behaviors: `disjoint` is not supported
67:13 in pop: assigns of what `s` points to: only that some of it changes is kept
100:5 in fill: assigns table[0 .. CAPACITY - 1]: a value of type `int[16]` is not supported
101:5 in fill: ensures table[1] == 7: a value of type `int[16]` is not supported
105:27 in apart, needed: requires \separated: this is only supported of different pointers that are required to be valid
106:14 in apart, needed: requires \separated: this is only supported of different pointers that are required to be valid
*/
