// What is not read is told at its place, and the rest goes on.
struct node {
    struct node *next;
    int value;
};

/*@ requires \initialized(p);
    requires \valid(p + (1 .. 3));
    requires p == \null || \valid(p);
    requires \valid(q) && x > ;
    requires n << 40 > m;
    ensures \result == undefined_name;
    ensures \fresh(\result, 4);
    allocates \result;
    assigns p[..];
    requires n > 0;
*/
int *first(int *p, int *q, int n);

/*@ requires l->next->value == 0;
    requires \valid(l->next);
    requires n & 1;
    requires n / l->value == 3;
    ensures valid: \valid(\result);
    requiers n == 3;
    requires 1.5 < n;
    requires (float)n == 2;
    requires n++ == 2;
    requires \forall integer k; k > n;
    requires \forall float f; 0 <= f < 1 ==> f == 0;
    requires \at(n, Here) == 3;
    requires \result == 3;
    ensures \result->next;
    assigns n + 1;
    terminates \valid(l);
    requires n == '\q';
    requires (n == 3;
    requires n <= 3
*/
struct node *second(struct node *l, int n) { return l; }

//@ predicate positive(integer x) = x > 0;
//@ requires n > 0
int third(int n)
{
    //@ assert n > 0;
    /*@ loop invariant n > hidden;
        loop invariant \separated(&n, &n);
        loop variant n for lower;
        loop pragma UNROLL 3;
    */
    while (n > 3) {
        int hidden = n;
        n -= hidden;
    }
    return n;
}

//@ admit requires n < 9;
int fourth(int n) { return n; }

//@ requires ends;

int main(void) { return first(0, 0, 0) != 0; }
/* is read as
first in part
  requires start(n) > 0
fourth in part
main in part
second in part
third
  requires start(n) > 0
loop in third at 52:5
7:5 in first, needed: requires \initialized(p): `\initialized` is not supported
8:5 in first, needed: requires \valid(p + (1 .. 3)): only memory from the pointer on is supported
9:28 in first, needed: requires p == \null || \valid(p): what is said of pointers is only supported where it holds in every case
10:27 in first, needed: requires \valid(q) && x >: `x` is not known here
11:24 in first, needed: requires n << 40 > m: `m` is not known here
12:24 in first: ensures \result == undefined_name: `undefined_name` is not known here
13:5 in first: ensures \fresh(\result, 4): `\fresh` is not supported
14:5 in first: allocates \result: `allocates` is not supported
15:15 in first: assigns p[..]: a range without limits is not supported here
20:5 in second, needed: requires l->next->value == 0: what a pointer in memory points to is not supported here
21:5 in second, needed: requires \valid(l->next): the structure that holds this pointer is not required to be valid before
22:16 in second, needed: requires n & 1: operations on bits are not supported
23:18 in second, needed: requires n / l->value == 3: only division by a known positive number is supported
24:20 in second: ensures valid: \valid(\result): what a function leaves valid is not supported
25:5 in second: requiers n == 3: `requiers` is not supported
26:5 in second, needed: requires 1.5 < n: only whole numbers are supported
27:5 in second, needed: requires (float)n == 2: a conversion to `float` is not supported here
28:15 in second, needed: requires n++ == 2: assignments are not supported
29:5 in second, needed: requires \forall integer k; k > n: expected the limits of the quantifier, and `==>`
30:5 in second, needed: requires \forall float f; 0 <= f < 1 ==> f == 0: quantifiers over `float` are not supported
31:5 in second, needed: requires \at(n, Here) == 3: the label `Here` is not supported here
32:5 in second, needed: requires \result == 3: the result has no meaning here
33:5 in second: ensures \result->next: comparing this pointer is not supported
34:5 in second: assigns n + 1: expected a place in memory
35:5 in second: terminates \valid(l): what is said of pointers is only supported where it holds in every case
36:19 in second, needed: requires n == '\q': this character is not supported
37:21 in second, needed: requires (n == 3; requires n <= 3: expected `)`
42:5 in third: predicate positive(integer x) = x > 0: `predicate` is not supported
46:9 in third: assert n > 0: `assert` is not supported
47:28 in third: loop invariant n > hidden: `hidden` is not known here
48:9 in third: loop invariant \separated(&n, &n): this is not supported in what is said of a loop
49:24 in third: loop variant n for lower: variants for other orders than that of numbers are not supported
50:9 in third: loop pragma UNROLL 3: `loop pragma` is not supported
59:5 in fourth, needed: admit requires n < 9: `admit requires` is not supported
62:5 in main, needed: requires ends: `ends` is not known here
*/
