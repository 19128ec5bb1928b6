//! Claims about shapes at several places: circles through more than one symbolic heap, heads in functions that are called, and
//! pointers that stand in objects.

mod source;

use base::{Budget, Index};
use evidence::{
    Integer, ShapeHeap, ShapeHome, ShapeNumber, ShapeObject, ShapePart, ShapeSum, ShapeTarget, ShapeVariable,
    Shapes, ShapesAt,
};
use loopscope_certify::shapes::check_shapes;
use program::interpret::Integers;
use program::{Body, Callee, Program, StatementKind};

const NULL: ShapeTarget = ShapeTarget::Null;
const FIRST: ShapeTarget = ShapeTarget::Segment(0);

fn program(text: &str) -> Program {
    source::program(&format!(
        "#include <stdlib.h>
         struct node {{ long value; struct node *next; }};
         struct pair {{ struct node *left, *right; }};
         static struct node *cell(struct node *next) {{ struct node *n = malloc(sizeof *n); n->next = next; return n; }}
         {text}"
    ))
}

fn body<'p>(program: &'p Program, name: &str) -> &'p Body {
    let function = program.function_named(name).expect("it is there");
    program.functions[function].body().expect("it has a body")
}

/// The heads of a function's loops, in the order of the source.
fn heads(program: &Program, name: &str) -> Vec<usize> {
    let blocks = body(program, name).blocks.iter();
    let mut found: Vec<_> = blocks
        .filter_map(|(id, block)| {
            let location = block.loop_statement?.location;
            Some((location.line, location.column, id))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, _, id)| id.index()).collect()
}

/// The statements of `main` that call a function.
fn calls(program: &Program, name: &str) -> Vec<(usize, usize)> {
    let function = program.function_named(name).expect("it is there");
    let mut found = Vec::new();
    for (id, block) in body(program, "main").blocks.iter() {
        for (at, statement) in block.statements.iter().enumerate() {
            if let StatementKind::Call { callee: Callee::Function(callee), .. } = statement.kind
                && callee == function
            {
                found.push((id.index(), at));
            }
        }
    }
    found
}

fn variable(program: &Program, function: &str, frame: usize, name: &str) -> ShapeVariable {
    let found = body(program, function).variables.iter().find(|(_, variable)| variable.name == name);
    ShapeVariable { frame: Some(frame), variable: found.expect("it is a variable").0.index() }
}

fn heap(
    pointers: &[(ShapeVariable, ShapeTarget)],
    segments: &[ShapeTarget],
    ranks: &[ShapeSum],
) -> ShapeHeap {
    ShapeHeap {
        pointers: pointers.to_vec(),
        segments: segments.to_vec(),
        objects: Vec::new(),
        invariants: Vec::new(),
        ranks: ranks.to_vec(),
    }
}

fn sum(parts: &[(i32, ShapeNumber)], constant: i32) -> ShapeSum {
    let part = |&(factor, number): &(i32, ShapeNumber)| ShapePart { factor: Integer::from(factor), number };
    ShapeSum { parts: parts.iter().map(part).collect(), constant: Integer::from(constant) }
}

fn length() -> ShapeSum {
    sum(&[(1, ShapeNumber::Length(0))], 0)
}

fn at(calls: &[(usize, usize)], block: usize, heaps: Vec<ShapeHeap>) -> ShapesAt {
    ShapesAt { calls: calls.to_vec(), block, heaps }
}

fn check(program: &Program, cutpoints: Vec<ShapesAt>) -> Result<(), String> {
    let main = program.function_named("main").expect("there is a main");
    let claim = Shapes { link: 8, size: 16, cutpoints };
    check_shapes(program, main, Integers::Machine, &claim, &mut Budget::steps(50_000_000))
        .map(|_| ())
        .map_err(|refusal| refusal.to_string())
}

#[track_caller]
fn refused(program: &Program, cutpoints: Vec<ShapesAt>, why: &str) {
    let answer = check(program, cutpoints);
    assert!(answer.as_ref().is_err_and(|reason| reason.contains(why)), "{answer:?} for {why}");
}

#[test]
fn a_circle_through_two_heaps_needs_ranks_in_both() {
    let program = program("int main(void) { struct node *p = 0; while (1) p = p ? 0 : cell(0); return 0; }");
    let p = variable(&program, "main", 0, "p");
    let head = heads(&program, "main")[0];
    for ranks in [vec![], vec![sum(&[], 3)], vec![sum(&[], 0), sum(&[], 7)]] {
        let heaps = vec![heap(&[(p, NULL)], &[], &ranks), heap(&[(p, FIRST)], &[NULL], &ranks)];
        refused(&program, vec![at(&[], head, heaps)], "no rank gets less");
    }
    // Less on one way, and more on the other.
    let heaps = vec![heap(&[(p, NULL)], &[], &[sum(&[], 0)]), heap(&[(p, FIRST)], &[NULL], &[length()])];
    refused(&program, vec![at(&[], head, heaps)], "no rank gets less");
}

#[test]
fn a_circle_through_three_heaps_is_one() {
    let program = program(
        "int main(void) { struct node *p = 0, *q = 0;
           while (1) { if (!p) p = cell(0); else if (!q) q = cell(0); else p = q = 0; } return 0; }",
    );
    let [p, q] = ["p", "q"].map(|name| variable(&program, "main", 0, name));
    let head = heads(&program, "main")[0];
    let second = ShapeTarget::Segment(1);
    let heaps = vec![
        heap(&[(p, NULL), (q, NULL)], &[], &[sum(&[], 9)]),
        heap(&[(p, FIRST), (q, NULL)], &[NULL], &[sum(&[], 8)]),
        heap(&[(p, FIRST), (q, second)], &[NULL, NULL], &[sum(&[], 7)]),
    ];
    refused(&program, vec![at(&[], head, heaps)], "no rank gets less");
}

#[test]
fn ranks_come_one_after_another() {
    let text = |then: &str| {
        format!(
            "int main(void) {{ int n = nondet(), i = 0; struct node *p = 0;
               while (i < n) {{ if (p) p = p->next; else {{ p = cell(cell(0)); {then} }} }} return 0; }}"
        )
    };
    let claim = |text: &str, swapped: bool| {
        let program = program(text);
        let [p, n, i] = ["p", "n", "i"].map(|name| variable(&program, "main", 0, name));
        let left = sum(&[(1, ShapeNumber::Variable(n)), (-1, ShapeNumber::Variable(i))], 0);
        let ranks = |own: ShapeSum| if swapped { vec![own, left.clone()] } else { vec![left.clone(), own] };
        let heaps = vec![
            heap(&[(p, NULL)], &[], &ranks(sum(&[], 0))),
            heap(&[(p, FIRST)], &[NULL], &ranks(length())),
        ];
        check(&program, vec![at(&[], heads(&program, "main")[0], heaps)])
    };
    assert_eq!(claim(&text("i++;"), false), Ok(()));
    // The first rank stays, gets more, or is the wrong one.
    assert!(claim(&text(""), false).is_err());
    assert!(claim(&text("i--;"), false).is_err());
    assert!(claim(&text("if (nondet()) i++;"), false).is_err());
    assert!(claim(&text("i++;"), true).is_err());
}

#[test]
fn a_rank_must_not_be_negative_where_it_decreases() {
    let program = program("int main(void) { int i = nondet(); while (i != 7) i--; return 0; }");
    let i = ShapeNumber::Variable(variable(&program, "main", 0, "i"));
    let head = heads(&program, "main")[0];
    for constant in [0, -7, 8, 1000] {
        let heaps = vec![heap(&[], &[], &[sum(&[(1, i)], constant)])];
        refused(&program, vec![at(&[], head, heaps)], "no rank gets less");
    }
    let program = self::program("int main(void) { int i = nondet(); while (i > 7) i--; return 0; }");
    let claim = |constant| {
        vec![at(&[], heads(&program, "main")[0], vec![heap(&[], &[], &[sum(&[(1, i)], constant)])])]
    };
    assert_eq!(check(&program, claim(-8)), Ok(()));
    refused(&program, claim(-9), "no rank gets less");
}

const WALKS: &str =
    "static int walk(struct node *q) { int many = 0; while (q) { q = q->next; many++; } return many; }";

/// What is true of a list that is walked by a function, for each of its calls.
fn walked(program: &Program) -> Vec<ShapesAt> {
    let q = variable(program, "walk", 1, "q");
    let head = heads(program, "walk")[0];
    let heaps = || vec![heap(&[(q, NULL)], &[], &[]), heap(&[(q, FIRST)], &[NULL], &[length()])];
    calls(program, "walk").into_iter().map(|call| at(&[call], head, heaps())).collect()
}

#[test]
fn heads_in_functions_are_places_of_their_calls() {
    let text =
        |rest: &str| format!("{WALKS} int main(void) {{ struct node *p = cell(cell(0)); {rest} return 0; }}");
    let ends = |rest: &str| {
        let program = program(&text(rest));
        check(&program, walked(&program))
    };
    assert_eq!(ends("walk(p);"), Ok(()));
    assert_eq!(ends("int n = walk(p); if (n > 3) n = 0;"), Ok(()));
    // What comes after the call is examined: a loop, an access, another call.
    assert!(ends("walk(p); for (;;) ;").is_err());
    assert!(ends("int n = walk(p); if (n == 2) for (;;) ;").is_err());
    assert!(ends("walk(p); *(int *)0 = 1;").is_err());
    assert!(ends("int n = walk(p); n = 7 / n;").is_err());
    // The ring is none of the shapes, whoever is called first.
    assert!(ends("walk(p); p->next->next = p; walk(p);").is_err());
    let program = program(&text("walk(p); walk(p);"));
    let good = walked(&program);
    assert!(check(&program, good[..1].to_vec()).is_err(), "the second call has no place");
    let mut wrong = good.clone();
    wrong[1].calls[0].1 += 1;
    assert!(check(&program, wrong).is_err(), "there is no call");
    let mut wrong = good.clone();
    wrong[1].calls[0].0 = 1_000;
    assert!(check(&program, wrong).is_err(), "there is no block");
    let mut wrong = good;
    wrong[1].block = 1_000;
    assert!(check(&program, wrong).is_err(), "there is no block in the function");
}

#[test]
fn what_a_callee_does_is_seen_by_its_caller() {
    let text = |body: &str| {
        format!(
            "static void step(struct node **where) {{ {body} }}
             int main(void) {{ struct node *p = cell(cell(0)), *q; while (p) {{ q = p; step(&q); p = q; }} return 0; }}"
        )
    };
    let claim = |body: &str| {
        let program = program(&text(body));
        let p = variable(&program, "main", 0, "p");
        let heaps = vec![heap(&[(p, NULL)], &[], &[]), heap(&[(p, FIRST)], &[NULL], &[length()])];
        let mut places = vec![at(&[], heads(&program, "main")[0], heaps)];
        // The object that holds the pointer lives.
        let object = ShapeObject { home: ShapeHome { frame: Some(0), object: 0 }, pointers: Vec::new() };
        for heap in &mut places[0].heaps {
            heap.objects.push(object.clone());
        }
        check(&program, places)
    };
    assert_eq!(claim("*where = (*where)->next;"), Ok(()));
    assert!(claim("").is_err());
    assert!(claim("if (nondet()) *where = (*where)->next;").is_err());
    assert!(claim("*where = cell(*where);").is_err());
    assert!(claim("(*where)->next = *where; *where = (*where)->next;").is_err());
    assert!(claim("struct node *own = *where; own = own->next;").is_err());
}

#[test]
fn what_objects_hold_must_be_so() {
    let text = |body: &str| {
        format!(
            "struct pair both; static struct node **keep; static void hold(struct node **p) {{ keep = p; }}
             int main(void) {{ both.left = cell(cell(0)); hold(&both.left); hold(&both.right);
               while (both.left) {{ {body} }} return 0; }}"
        )
    };
    let object = |pointers: &[(i64, ShapeTarget)]| ShapeObject {
        home: ShapeHome { frame: None, object: 0 },
        pointers: pointers.to_vec(),
    };
    let claim = |body: &str, other: &[(i64, ShapeTarget)]| {
        let program = program(&text(body));
        let mut heaps = vec![heap(&[], &[], &[]), heap(&[], &[NULL], &[length()])];
        heaps[0].objects.push(object(&[&[(0, NULL)], other].concat()));
        heaps[1].objects.push(object(&[&[(0, FIRST)], other].concat()));
        check(&program, vec![at(&[], heads(&program, "main")[0], heaps)])
    };
    assert_eq!(claim("both.left = both.left->next;", &[]), Ok(()));
    assert_eq!(claim("both.left = both.left->next;", &[(8, NULL)]), Ok(()));
    assert!(claim("both.left = both.left->next; both.right = cell(0);", &[(8, NULL)]).is_err());
    assert!(claim("both.left = both.left->next; both.right = both.left;", &[(8, NULL)]).is_err());
    assert!(claim("both.left = both.right;", &[]).is_err());
    assert!(claim("both.left = cell(both.left);", &[]).is_err());
    assert!(claim("*keep = 0;", &[]).is_err());
    assert!(claim("((char *)&both)[2] = 7;", &[]).is_err());
}

#[test]
fn an_object_that_may_not_live_is_not_claimed_to() {
    let program = program(
        "static struct node **keep; static void hold(struct node **p) { keep = p; }
         int main(void) { struct node *p = cell(cell(0));
           while (p) { struct node *q = p->next; hold(&q); p = q; } return 0; }",
    );
    let p = variable(&program, "main", 0, "p");
    let claim = |lives: bool| {
        let mut heaps = vec![heap(&[(p, NULL)], &[], &[]), heap(&[(p, FIRST)], &[NULL], &[length()])];
        let object = ShapeObject { home: ShapeHome { frame: Some(0), object: 0 }, pointers: Vec::new() };
        heaps.iter_mut().filter(|_| lives).for_each(|heap| heap.objects.push(object.clone()));
        vec![at(&[], heads(&program, "main")[0], heaps)]
    };
    assert_eq!(check(&program, claim(false)), Ok(()));
    // What is not shown is left out.
    assert_eq!(check(&program, claim(true)), Ok(()));
    let program = self::program(
        "static struct node **keep; static void hold(struct node **p) { keep = p; }
         int main(void) { struct node *p = cell(cell(0)), **r = &p;
           { struct node *q = p; hold(&q); r = &q; }
           while (nondet()) { if (*r) ; break; } return 0; }",
    );
    let head = heads(&program, "main")[0];
    for object in 0..2 {
        let mut lives = heap(&[], &[], &[]);
        lives.objects.push(ShapeObject { home: ShapeHome { frame: Some(0), object }, pointers: Vec::new() });
        let r = variable(&program, "main", 0, "r");
        lives.pointers.push((r, ShapeTarget::Object(ShapeHome { frame: Some(0), object }, 0)));
        assert!(check(&program, vec![at(&[], head, vec![lives])]).is_err(), "{object}");
    }
}

#[test]
fn two_pointers_to_one_segment_are_equal() {
    let program = program(
        "int main(void) { struct node *q = cell(cell(0)), *p = q->next; while (p != q) { nondet(); } return 0; }",
    );
    let [p, q] = ["p", "q"].map(|name| variable(&program, "main", 0, name));
    let head = heads(&program, "main")[0];
    let second = ShapeTarget::Segment(1);
    for heap in [
        heap(&[(p, FIRST), (q, FIRST)], &[NULL], &[]),
        heap(&[(q, FIRST), (p, FIRST)], &[NULL], &[]),
        heap(&[(p, FIRST), (q, second)], &[NULL, NULL], &[]),
        heap(&[(p, FIRST), (q, second)], &[second, NULL], &[]),
        heap(&[(p, NULL), (q, FIRST)], &[NULL], &[]),
    ] {
        refused(&program, vec![at(&[], head, vec![heap])], "no claimed shape");
    }
    let apart = heap(&[(p, FIRST), (q, second)], &[NULL, FIRST], &[]);
    refused(&program, vec![at(&[], head, vec![apart])], "no rank gets less");
}

#[test]
fn a_link_lies_in_its_cell() {
    let program = program(&format!("{WALKS} int main(void) {{ walk(cell(cell(0))); return 0; }}"));
    let main = program.function_named("main").expect("there is a main");
    let cutpoints = walked(&program);
    for (link, size, expected) in [
        (8, 16, true),
        (9, 16, false),
        (12, 16, false),
        (16, 16, false),
        (8, 15, false),
        (u64::MAX, 16, false),
        (8, 17, false),
    ] {
        let claim = Shapes { link, size, cutpoints: cutpoints.clone() };
        let mut budget = Budget::steps(50_000_000);
        let answer = check_shapes(&program, main, Integers::Machine, &claim, &mut budget);
        assert_eq!(answer.is_ok(), expected, "{link} {size}: {answer:?}");
    }
    let claim = Shapes { link: 8, size: 16, cutpoints };
    assert!(check_shapes(&program, main, Integers::Machine, &claim, &mut Budget::steps(3)).is_err());
}

#[test]
fn cells_on_the_stack_are_not_freed() {
    let text = |make: &str, then: &str| {
        format!(
            "{WALKS} int main(void) {{ struct node *p = {make}; p->next = 0; {then} walk(0); return 0; }}"
        )
    };
    let ends = |make: &str, then: &str| {
        let program = program(&text(make, then));
        check(&program, walked(&program))
    };
    assert_eq!(ends("malloc(16)", "free(p);"), Ok(()));
    assert_eq!(ends("__builtin_alloca(16)", ""), Ok(()));
    assert!(ends("__builtin_alloca(16)", "free(p);").is_err());
    assert!(ends("malloc(15)", "").is_err());
    assert!(ends("__builtin_alloca(15)", "").is_err());
}

#[test]
fn a_recursion_is_refused() {
    let program = program(
        "static void down(struct node *q) { if (q) down(q); } int main(void) { down(cell(0)); return 0; }",
    );
    refused(&program, Vec::new(), "a recursion");
}
