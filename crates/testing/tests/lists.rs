//! Random programs on lists: what the kernel accepts about their shapes, held against runs of the interpreter; and evidence of
//! programs that end, mutated, which shows nothing of programs that do not.

use base::Budget;
use certify::shapes::check_shapes;
use engines::variance::{HeapProgram, forests};
use evidence::{Integer, ShapeTarget, Shapes};
use loopscope_testing::random::Random;
use program::interpret::{
    Arguments, DiscardedOutput, InputValue, Inputs, Integers, Machine, ObligationSet, Options, Outcome,
    Request,
};
use program::{FunctionId, Obligation, Program};

/// The program of a text.
fn program(text: &str, seed: u64) -> (Program, FunctionId) {
    let path = std::env::temp_dir().join(format!("loopscope-lists-{}-{seed}.c", std::process::id()));
    std::fs::write(&path, text).expect("temporary files can be written");
    let translation = c::translate(&[c::Input::new(&path)]);
    let _ = std::fs::remove_file(&path);
    assert!(translation.diagnostics.is_empty(), "{:?} of {text}", translation.diagnostics);
    let mut program = translation.program;
    program::passes::simplify(&mut program);
    let main = program.function_named("main").expect("there is a main");
    (program, main)
}

/// A program that makes a list, or a ring, and then does something.
fn wrapped(close: bool, then: &str) -> String {
    let first = match close {
        true => "struct node *head = malloc(sizeof *head); head->next = head; struct node *last = head;",
        false => "struct node *head = 0, *last = 0;",
    };
    let link = match close {
        true => "made->next = last->next; last->next = made;",
        false => "made->next = head; head = made;",
    };
    format!(
        "#include <stdlib.h>
        extern int nondet(void);
        struct node {{ int value; struct node *next; }};
        int main(void) {{
          {first}
          int n = nondet();
          for (int i = 0; i < n; i++) {{ struct node *made = malloc(sizeof *made); made->value = i; {link} }}
          struct node *p = head, *q = 0, *r = head;
          {then}
          return 0;
        }}"
    )
}

/// Some statements, with loops down to a depth.
fn statements(random: &mut Random, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        let [a, b] = [0; 2].map(|_| ["p", "q", "r", "head"][random.below(4)]);
        text.push_str(&match random.below(if depth == 0 { 8 } else { 11 }) {
            0 | 1 => format!("if ({a}) {a} = {a}->next;\n"),
            2 => format!("{a} = {b};\n"),
            3 => format!("if ({a}) {a}->next = {b};\n"),
            4 => format!("{{ struct node *m = malloc(sizeof *m); m->next = {b}; {a} = m; }}\n"),
            5 => format!("if (nondet()) {{ {} }}\n", statements(random, depth.saturating_sub(1))),
            6 => format!("if ({a}) {a}->value = nondet();\n"),
            7 => format!("if ({a}) {{ struct node *m = {a}; {a} = {a}->next; m->next = {b}; {b} = m; }}\n"),
            8 => format!("while ({a}) {{ {} {a} = {a}->next; }}\n", quiet(random, depth - 1)),
            9 => format!(
                "while ({a} && {a} != {b}) {{ {} if ({a}) {a} = {a}->next; }}\n",
                quiet(random, depth - 1)
            ),
            _ => format!("while ({a}) {{ {} if ({a}) {a} = {a}->next; }}\n", statements(random, depth - 1)),
        });
    }
    text
}

/// Statements that keep the walk in its course, more often than not.
fn quiet(random: &mut Random, depth: u32) -> String {
    match random.below(3) {
        0 => String::from("r = head;"),
        1 => String::from("q = p;"),
        _ => statements(random, depth) + "if (!p || !q || !r || !head) return 0;",
    }
}

/// Small numbers.
struct Small(Random);

impl Inputs for Small {
    fn value(&mut self, _request: &Request<'_>) -> InputValue {
        InputValue::Integer(self.0.below(6) as i128)
    }

    fn byte(&mut self) -> Option<u8> {
        None
    }
}

/// Whether a run ends, with nothing undefined on the way.
fn ends(program: &Program, main: FunctionId, seed: u64) -> bool {
    let ignored = ObligationSet::EMPTY.with(Obligation::Leak).with(Obligation::Uninitialised);
    let checks = Obligation::ALL.into_iter().filter(|kind| !ignored.contains(*kind)).collect();
    let options = Options { checks, ignored, ..Options::default() };
    let arguments = Arguments::CommandLine(vec![b"program".to_vec()]);
    let run = Machine::new(program, &options).run(
        main,
        &arguments,
        &mut Small(Random::new(seed)),
        &mut DiscardedOutput,
        &mut Budget::steps(20_000),
    );
    matches!(run.outcome, Outcome::Exit(_))
}

fn evidence(program: &Program, main: FunctionId) -> Option<Shapes> {
    let heap = HeapProgram::of(program, main, Integers::Machine, None)?;
    heap.proof(program, &forests(program, &heap.numeric), &mut Budget::steps(200_000))
}

fn is_accepted(program: &Program, main: FunctionId, claim: &Shapes) -> bool {
    check_shapes(program, main, Integers::Machine, claim, &mut Budget::steps(3_000_000)).is_ok()
}

#[test]
fn programs_that_are_said_to_end_do_in_all_runs() {
    let count: u64 = std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(120);
    let (mut proved, mut infinite) = (0, 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let close = random.below(4) == 0;
        let text = wrapped(close, &statements(&mut random, 2));
        let (program, main) = program(&text, seed);
        let all_end = (0..12).all(|run| ends(&program, main, run));
        infinite += u64::from(!all_end);
        let Some(claim) = evidence(&program, main) else { continue };
        if is_accepted(&program, main, &claim) {
            proved += 1;
            assert!(all_end, "seed {seed}: a run goes on, or wrong: {text}");
        }
    }
    assert!(proved * 4 > count && infinite * 20 > count, "{proved} proved, {infinite} infinite of {count}");
}

/// Programs that end, each with one that is made alike and does not.
const TWINS: [(bool, &str, &str); 4] = [
    (false, "while (p) { p = p->next; }", "while (p) { p = p->next ? p->next : p; }"),
    (
        false,
        "while (p) { q = p->next; p->next = 0; p = q; }",
        "while (p) { q = p->next; p->next = 0; p = p; }",
    ),
    (true, "do { p = p->next; } while (p != head);", "do { p = p->next; } while (p != 0);"),
    (false, "while (p) { p->value = 1; p = p->next; }", "while (p) { p->value = 1; p = head; }"),
];

#[test]
fn mutated_evidence_shows_nothing_of_programs_that_do_not_end() {
    for (place, (close, good, bad)) in TWINS.into_iter().enumerate() {
        let (good, main) = program(&wrapped(close, good), 1_000_000 + place as u64);
        let claim = evidence(&good, main).expect("there is evidence");
        assert!(is_accepted(&good, main, &claim));
        let (bad, main) = program(&wrapped(close, bad), 2_000_000 + place as u64);
        for seed in 0..60 {
            let mut mutant = claim.clone();
            let mut random = Random::new(seed);
            (0..random.below(4)).for_each(|_| mutate(&mut mutant, &mut random));
            assert!(!is_accepted(&bad, main, &mutant), "seed {seed} of {place}: {mutant:?}");
        }
    }
}

fn mutate(claim: &mut Shapes, random: &mut Random) {
    let place = random.below(claim.cutpoints.len());
    let heaps = &mut claim.cutpoints[place].heaps;
    if heaps.is_empty() {
        return;
    }
    let at = random.below(heaps.len());
    let target = match random.below(3) {
        0 => ShapeTarget::Null,
        1 => ShapeTarget::Unknown,
        _ => ShapeTarget::Segment(random.below(2)),
    };
    let heap = &mut heaps[at];
    match random.below(6) {
        0 => heap.invariants.truncate(random.below(3)),
        1 => heap.segments.iter_mut().for_each(|end| *end = target),
        2 => heap.pointers.iter_mut().take(1).for_each(|(_, pointer)| *pointer = target),
        3 => heap.ranks.iter_mut().for_each(|rank| rank.constant += Integer::from(random.below(9))),
        4 => heap.ranks.reverse(),
        _ => _ = heaps.remove(at),
    }
}
