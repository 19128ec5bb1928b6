// Each job takes at least 12 units of fuel, so that 5000 units are enough for at most 416 jobs. The proof needs linear
// inequalities between several numbers that no text of the program and no short run shows: a convex polyhedron.
//@ loops: 1
//@ holds: unreach-call (precision)
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int fuel = 5000, used = 0, jobs = 0, big = 0, small = 0, waste = 0;
  //@ terminates (soundness)
  while (fuel >= 40) {
    int kind = __VERIFIER_nondet_int();
    if (kind == 0) { fuel -= 40; used += 33; waste += 7; big++; jobs++; }
    else if (kind == 1) { fuel -= 12; used += 11; waste += 1; small++; jobs++; }
    else { fuel -= 5; waste += 5; }
  }
  if (used > 11 * small + 33 * big) reach_error();
  if (12 * jobs > 5000) reach_error();
  return 0;
}
