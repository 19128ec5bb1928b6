//! Claims about the shapes of lists: those that hold, and many that do not.

mod source;

use base::{Budget, Index};
use evidence::{
    Integer, ShapeHeap, ShapeNumber, ShapePart, ShapeSum, ShapeTarget, ShapeVariable, Shapes, ShapesAt,
};
use loopscope_certify as certify;
use program::interpret::Integers;
use program::{Body, Program};

const NULL: ShapeTarget = ShapeTarget::Null;

const fn at(segment: usize) -> ShapeTarget {
    ShapeTarget::Segment(segment)
}

/// A program whose first loop makes a list of some length, and the body of a second loop that walks it.
fn walk(body: &str) -> Program {
    program(
        "for (int i = 0; i < n; i++) { struct node *q = malloc(sizeof *q); q->next = head; head = q; }",
        &format!("while (p) {{ {body} }}"),
    )
}

fn program(build: &str, then: &str) -> Program {
    source::program(&format!(
        "#include <stdlib.h>
         struct node {{ int value; struct node *next; }};
         struct node *other, *given(void);
         int main(void) {{
           int n = nondet();
           struct node *head = 0;
           {build}
           struct node *p = head;
           {then}
           return 0;
         }}"
    ))
}

/// Names of a program's only function.
struct Names<'p> {
    body: &'p Body,
}

impl<'p> Names<'p> {
    fn of(program: &'p Program) -> Self {
        let main = program.function_named("main").expect("there is a main");
        Self { body: program.functions[main].body().expect("it has a body") }
    }

    fn variable(&self, name: &str) -> ShapeVariable {
        let found = self.body.variables.iter().find(|(_, variable)| variable.name == name);
        ShapeVariable { frame: Some(0), variable: found.expect("it is a variable").0.index() }
    }

    /// The heads of loops, in the order of the source.
    fn heads(&self) -> Vec<usize> {
        let blocks = self.body.blocks.iter();
        let mut found: Vec<_> = blocks
            .filter_map(|(id, block)| {
                Some((block.loop_statement?.location.line, block.loop_statement?.location.column, id))
            })
            .collect();
        found.sort();
        found.into_iter().map(|(_, _, id)| id.index()).collect()
    }

    fn heap(
        &self,
        pointers: &[(&str, ShapeTarget)],
        segments: &[ShapeTarget],
        rank: Option<ShapeSum>,
    ) -> ShapeHeap {
        let pointers = pointers.iter().map(|(name, target)| (self.variable(name), *target)).collect();
        ShapeHeap {
            pointers,
            segments: segments.to_vec(),
            objects: Vec::new(),
            invariants: Vec::new(),
            ranks: rank.into_iter().collect(),
        }
    }

    fn minus(&self, left: &str, right: &str) -> ShapeSum {
        let part = |name: &str, factor: i32| ShapePart {
            factor: Integer::from(factor),
            number: ShapeNumber::Variable(self.variable(name)),
        };
        ShapeSum { parts: vec![part(left, 1), part(right, -1)], constant: Integer::ZERO }
    }

    /// What is true of the program that builds a list and walks it.
    fn walked(&self) -> Shapes {
        let heads = self.heads();
        let left = || Some(self.minus("n", "i"));
        let build =
            vec![self.heap(&[("head", NULL)], &[], left()), self.heap(&[("head", at(0))], &[NULL], left())];
        let walk =
            vec![self.heap(&[("p", NULL)], &[], None), self.heap(&[("p", at(0))], &[NULL], Some(length(0)))];
        shapes(vec![(heads[0], build), (heads[1], walk)])
    }
}

fn length(segment: usize) -> ShapeSum {
    let number = ShapeNumber::Length(segment);
    ShapeSum { parts: vec![ShapePart { factor: Integer::ONE, number }], constant: Integer::ZERO }
}

fn shapes(places: Vec<(usize, Vec<ShapeHeap>)>) -> Shapes {
    let place = |(block, heaps)| ShapesAt { calls: Vec::new(), block, heaps };
    Shapes { link: 8, size: 16, cutpoints: places.into_iter().map(place).collect() }
}

fn check(program: &Program, claim: &Shapes) -> Result<(), String> {
    let main = program.function_named("main").expect("there is a main");
    let mut budget = Budget::steps(50_000_000);
    certify::shapes::check_shapes(program, main, Integers::Machine, claim, &mut budget)
        .map(|_| ())
        .map_err(|refusal| refusal.to_string())
}

fn refused(program: &Program, claim: &Shapes, why: &str) {
    let answer = check(program, claim);
    assert!(answer.as_ref().is_err_and(|reason| reason.contains(why)), "{answer:?} for {why}");
}

/// What is claimed of the walk with another body is refused for this reason.
fn no_walk(body: &str, why: &str) {
    let program = walk(body);
    refused(&program, &Names::of(&program).walked(), why);
}

#[test]
fn a_list_is_built_and_walked() {
    for body in ["p = p->next;", "p->value = 3; p = p->next;", "struct node *q = p; p = p->next; free(q);"] {
        let program = walk(body);
        assert_eq!(check(&program, &Names::of(&program).walked()), Ok(()), "{body}");
    }
}

#[test]
fn a_loop_that_does_not_advance_has_no_rank() {
    no_walk("if (nondet()) p = p->next;", "no rank gets less");
    no_walk("p->value++;", "no rank gets less");
}

#[test]
fn a_loop_that_inserts_cells_has_no_rank() {
    let insert = "struct node *q = malloc(sizeof *q); q->next = p->next; p->next = q; p = p->next;";
    no_walk(insert, "no rank gets less");
    no_walk("struct node *q = malloc(sizeof *q); q->next = p; p = q;", "no rank gets less");
}

#[test]
fn a_store_that_closes_or_cuts_the_list_is_seen() {
    no_walk("struct node *q = p->next; p->next = p; p = q ? p : q;", "no claimed shape");
    no_walk("p->next = p; p = p->next;", "no claimed shape");
    no_walk("p->next = other; p = p->next;", "no claimed shape");
    // Bytes of the link are written as a number, or the whole cell is filled.
    no_walk("((char *)p)[9] = 1; p = p->next;", "no claimed shape");
    no_walk("*(long *)((char *)p + 8) = n; p = p->next;", "no claimed shape");
}

#[test]
fn what_is_not_understood_is_refused_by_name() {
    no_walk("other = given(); p = p->next;", "a call of given");
    no_walk("other->next = 0; p = p->next;", "nothing is known");
    no_walk("p = p->next; p->value = 1;", "through null");
    no_walk("free(p->next); p = p->next;", "");
    no_walk("free(p); p = p->next;", "nothing is known");
    no_walk("((int *)p)[5] = 1; p = p->next;", "out of bounds");
    no_walk("n = 7 / n; p = p->next;", "division");
}

#[test]
fn a_ring_is_no_list_that_ends() {
    let ring = "head = malloc(sizeof *head); head->next = head;
        for (int i = 1; i < n; i++) { struct node *q = malloc(sizeof *q); q->next = head->next; head->next = q; }";
    let program = program(ring, "while (p) { p = p->next; }");
    let names = Names::of(&program);
    refused(&program, &names.walked(), "no claimed shape");
    // As a ring it is never left, whatever rank is claimed.
    let heads = names.heads();
    let build = vec![names.heap(&[("head", at(0))], &[at(0)], Some(names.minus("n", "i")))];
    let ring = names.heap(&[("p", at(0))], &[at(0)], Some(length(0)));
    refused(&program, &shapes(vec![(heads[0], build), (heads[1], vec![ring])]), "no rank gets less");
}

#[test]
fn a_ring_is_walked_once() {
    let ring = "head = malloc(sizeof *head); head->next = head;
        for (int i = 1; i < n; i++) { struct node *q = malloc(sizeof *q); q->next = head->next; head->next = q; }";
    let program = program(ring, "p = head->next; while (p != head) { p = p->next; }");
    let names = Names::of(&program);
    let heads = names.heads();
    let build = || vec![names.heap(&[("head", at(0))], &[at(0)], Some(names.minus("n", "i")))];
    let apart = |rank| names.heap(&[("p", at(0)), ("head", at(1))], &[at(1), at(0)], Some(length(rank)));
    let whole = names.heap(&[("p", at(0)), ("head", at(0))], &[at(0)], None);
    let claim = |rank| shapes(vec![(heads[0], build()), (heads[1], vec![whole.clone(), apart(rank)])]);
    assert_eq!(check(&program, &claim(0)), Ok(()));
    refused(&program, &claim(1), "no rank gets less");
    let without = shapes(vec![(heads[0], build()), (heads[1], vec![apart(0)])]);
    refused(&program, &without, "no claimed shape");
}

#[test]
fn pointers_to_one_cell_are_not_two_segments() {
    let program = walk("p = p->next;");
    let names = Names::of(&program);
    let mut claim = names.walked();
    claim.cutpoints[1].heaps[1] =
        names.heap(&[("p", at(0)), ("head", at(1))], &[NULL, NULL], Some(length(0)));
    refused(&program, &claim, "no claimed shape");
    claim.cutpoints[1].heaps[1] =
        names.heap(&[("p", at(0)), ("head", at(1))], &[NULL, at(0)], Some(length(0)));
    refused(&program, &claim, "no claimed shape");
}

#[test]
fn a_wrong_relation_of_lengths_proves_nothing() {
    // As many steps as there are cells are safe, and one more is not.
    for (limit, expected) in [("n", true), ("n + 1", false)] {
        let build = "if (n > 1000) return 0;
            for (int i = 0; i < n; i++) { struct node *q = malloc(sizeof *q); q->next = head; head = q; }";
        let program = program(build, &format!("for (int k = 0; k < {limit}; k++) p = p->next;"));
        let names = Names::of(&program);
        let heads = names.heads();
        let mut claim = names.walked();
        // length 0 == i where the list is made.
        let mut less = names.minus("i", "n");
        less.parts[1] = ShapePart { factor: -Integer::ONE, number: ShapeNumber::Length(0) };
        let mut more = names.minus("n", "i");
        more.parts[0] = ShapePart { factor: Integer::ONE, number: ShapeNumber::Length(0) };
        claim.cutpoints[0].heaps[1].invariants = vec![less, more];
        claim.cutpoints[0].heaps[1].invariants.push(names.minus("n", "i"));
        let none = names.minus("k", "i");
        claim.cutpoints[0].heaps[0].invariants =
            vec![ShapeSum { parts: none.parts[1..].to_vec(), constant: Integer::ZERO }];
        // length 0 == n - k where it is walked, or n <= k.
        let mut rest = names.minus("k", "n");
        rest.parts.push(ShapePart { factor: Integer::ONE, number: ShapeNumber::Length(0) });
        let left = Some(names.minus("n", "k"));
        let mut walked = names.heap(&[("p", at(0))], &[NULL], left.clone());
        walked.invariants = vec![rest];
        let mut done = names.heap(&[("p", NULL)], &[], left);
        done.invariants = vec![names.minus("k", "n")];
        claim.cutpoints[1] = ShapesAt { calls: Vec::new(), block: heads[1], heaps: vec![done, walked] };
        let answer = check(&program, &claim);
        assert_eq!(answer.is_ok(), expected, "{limit}: {answer:?}");
    }
}

#[test]
fn claims_about_what_is_not_there_are_refused() {
    let program = walk("p = p->next;");
    let names = Names::of(&program);
    let good = names.walked();
    let mut claim = good.clone();
    claim.cutpoints.pop();
    refused(&program, &claim, "a loop without a cutpoint");
    let mut claim = good.clone();
    claim.cutpoints[1].heaps[1].segments = vec![at(7)];
    assert!(check(&program, &claim).is_err());
    let mut claim = good.clone();
    claim.cutpoints[1].heaps[1].pointers[0].0.variable = 1_000;
    assert!(check(&program, &claim).is_err());
    let mut claim = good.clone();
    claim.link = 0;
    assert!(check(&program, &claim).is_err());
    let mut claim = good.clone();
    claim.size = 24;
    refused(&program, &claim, "nothing is known");
    let mut claim = good;
    claim.cutpoints[1].heaps[1].ranks.clear();
    refused(&program, &claim, "no rank gets less");
}
