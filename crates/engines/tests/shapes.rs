//! The variance analysis of shapes on programs with lists: the nest of section 6 of the paper, and the usual ones.

use base::Budget;
use engines::variance::{self, HeapProgram, HeapVariance};
use loopscope_engines as engines;
use program::Program;
use program::interpret::{Arguments, DiscardedOutput, FixedInputs, InputValue, Integers, Options, Outcome};

/// Lists, and ways to make them: straight ones and rings.
const LISTS: &str = "
typedef unsigned long size_t;
extern void *malloc(size_t size);
extern void free(void *object);
extern void abort(void);
extern int nondet(void);
struct node { int value; struct node *next; };
struct node *cell(struct node *next) {
    struct node *made = malloc(sizeof(struct node));
    if (!made) abort();
    made->value = nondet();
    made->next = next;
    return made;
}
";

fn program(text: &str) -> Program {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("loopscope-shapes-{}-{number}.c", std::process::id()));
    std::fs::write(&path, format!("{LISTS}{text}")).expect("the folder for temporary files can be written");
    let mut program = c::translate(&[c::Input::new(&path)]).program;
    let _ = std::fs::remove_file(&path);
    program::passes::simplify(&mut program);
    program
}

fn analyse(program: &Program) -> Vec<HeapVariance> {
    let function = program.function_named("main").expect("there is a main");
    let heap = HeapProgram::of(program, function, Integers::Machine, None).expect("there are lists");
    let forests = variance::forests(program, &heap.numeric);
    let heads = variance::heads(program, &heap.numeric, &forests);
    let mut budget = Budget::steps(2_000_000);
    let found = heap.analyse(program, &forests, &heads, &mut budget).expect("the programs are small");
    for one in &found {
        println!("line {}: {}", one.cutpoint.loop_location.line, one.holds);
        one.invariants.iter().for_each(|way| println!("  at {}", way.join(", ")));
        for assertion in &one.assertions {
            println!("  {}  [{:?}]", assertion.holds.join(", "), assertion.ranking);
        }
    }
    found
}

/// Which loops are shown to be left, in the order in which they stand.
fn left(text: &str) -> Vec<bool> {
    let mut found: Vec<(u32, bool)> =
        analyse(&program(text)).iter().map(|one| (one.cutpoint.loop_location.line, one.holds)).collect();
    found.sort_by_key(|(line, _)| *line);
    found.into_iter().map(|(_, holds)| holds).collect()
}

const BUILD: &str = "struct node *x = 0; while (nondet()) x = cell(x);";

#[test]
fn a_list_is_walked() {
    let text =
        format!("int main(void) {{ {BUILD}\n struct node *p = x; while (p) p = p->next;\n return 0; }}");
    assert_eq!(left(&text), [false, true]);
}

#[test]
fn a_list_that_is_counted_ends_both_ways() {
    let text = "int main(void) { struct node *x = 0; int n = nondet();
        for (int i = 0; i < n; i++) x = cell(x);
        for (int i = 0; i < n; i++) x = x->next;
        return 0; }";
    assert_eq!(left(text), [true, true]);
}

#[test]
fn a_list_is_reversed() {
    let text = format!(
        "int main(void) {{ {BUILD}
        struct node *reversed = 0;
        while (x) {{ struct node *next = x->next; x->next = reversed; reversed = x; x = next; }}
        while (reversed) reversed = reversed->next;
        return 0; }}"
    );
    assert_eq!(left(&text), [false, true, true]);
}

#[test]
fn all_cells_are_freed() {
    let text = format!(
        "int main(void) {{ {BUILD}
        while (x) {{ struct node *next = x->next; free(x); x = next; }}
        return 0; }}"
    );
    assert_eq!(left(&text), [false, true]);
}

#[test]
fn a_cell_is_put_somewhere_into_a_list() {
    let text = format!(
        "int main(void) {{ {BUILD}
        x = cell(x);
        struct node *p = x;
        while (p->next && nondet()) p = p->next;
        p->next = cell(p->next);
        while (x) x = x->next;
        return 0; }}"
    );
    assert_eq!(left(&text), [false, true, true]);
}

#[test]
fn cells_are_taken_out_of_a_list() {
    let text = format!(
        "int main(void) {{ {BUILD}
        x = cell(x);
        struct node *p = x;
        while (p->next) {{
            struct node *q = p->next;
            if (q->value > 3) {{ p->next = q->next; free(q); }} else p = q;
        }}
        return 0; }}"
    );
    assert_eq!(left(&text), [false, true]);
}

/// A ring of any length that starts and ends at `x`.
const RING: &str =
    "struct node *last = cell(0); struct node *x = last; while (nondet()) x = cell(x); last->next = x;";

#[test]
fn the_ring_of_section_6_is_walked_in_a_nest() {
    let text = format!(
        "int main(void) {{ {RING}
        struct node *z = x;
        do {{
            z = z->next;
            struct node *y = z;
            while (y != x)
                y = y->next;
        }} while (z != x);
        return 0; }}"
    );
    assert_eq!(left(&text), [false, true, true]);
}

#[test]
fn a_ring_is_walked_for_ever() {
    let text =
        format!("int main(void) {{ {RING}\n struct node *p = x; while (p) p = p->next;\n return 0; }}");
    assert_eq!(left(&text), [false, false]);
}

#[test]
fn a_list_that_is_closed_in_the_middle_is_walked_for_ever() {
    let text = format!(
        "int main(void) {{ {BUILD}
        struct node *middle = cell(x); struct node *p = middle;
        while (p->next) p = p->next;
        p->next = middle; x = cell(middle);
        while (x) x = x->next;
        return 0; }}"
    );
    assert_eq!(left(&text), [false, true, false]);
}

#[test]
fn a_list_that_grows_while_it_is_walked_is_not_shown_to_end() {
    let text = format!(
        "int main(void) {{ {BUILD}
        while (x) {{ if (nondet()) x->next = cell(x->next); x = x->next; }}
        return 0; }}"
    );
    assert_eq!(left(&text), [false, false]);
}

#[test]
fn what_comes_from_outside_is_unknown() {
    let text = "struct node *global; extern struct node *other(void);
        int main(void) { struct node *p = other(); while (p) p = p->next; return 0; }";
    assert_eq!(left(text), [false]);
    // The write through the pointer from outside may make a ring.
    let text = format!(
        "extern struct node *other(void);
        int main(void) {{ {BUILD}
        other()->next = x;
        while (x) x = x->next;
        return 0; }}"
    );
    assert_eq!(left(&text), [false, false]);
}

/// A deterministic source of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn pointer(&mut self) -> &'static str {
        ["a", "b", "c"][self.below(3) as usize]
    }

    fn statements(&mut self, depth: u32) -> String {
        (0..1 + self.below(3)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> String {
        let (p, q) = (self.pointer(), self.pointer());
        match self.below(if depth > 0 { 13 } else { 9 }) {
            0 => format!("{p} = {q}; "),
            1 => format!("{p} = 0; "),
            2 | 3 => format!("{p} = cell({q}); "),
            4 | 5 => format!("if ({p}) {q} = {p}->next; "),
            6 => format!("if ({p}) {p}->next = {q}; "),
            7 => format!("if ({p} && nondet()) {{ {q} = {p}->next; free({p}); {p} = {q}; }} "),
            8 => format!("if ({p} != {q}) {q} = 0; "),
            9 => format!("for (int i = 0; i < 4; i++) {{ {} }} ", self.statements(0)),
            10 => format!("while ({p} != {q} && {p}) {{ {} {p} = {p}->next; }} ", self.statements(depth - 1)),
            _ => format!(
                "while ({p}) {{ {} if ({p}) {p} = {p}->next; }} ",
                if self.below(2) == 0 { self.statements(depth - 1) } else { String::new() }
            ),
        }
    }
}

/// How a program runs on some inputs: whether it comes to an end soon.
fn ends(program: &Program, random: &mut Random) -> bool {
    let main = program.function_named("main").expect("there is a main");
    let values = (0..200).map(|_| InputValue::Integer(i128::from(random.below(2)))).collect();
    let run = program::interpret::run(
        program,
        main,
        &Arguments::FromInputs,
        &Options::default(),
        &mut FixedInputs::new(values, Vec::new()),
        &mut DiscardedOutput,
        &mut Budget::steps(100_000),
    );
    !matches!(run.outcome, Outcome::Stopped(_) | Outcome::Repeats(_))
}

#[test]
fn no_generated_program_that_goes_on_was_shown_to_end() {
    let (mut shown, mut infinite) = (0, 0);
    for seed in 1..=250 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let text = format!(
            "int main(void) {{ struct node *a = 0, *b = cell(cell(0)), *c = 0; int n = nondet();
            for (int i = 0; i <= n; i++) a = cell(a); {} while (a) a = a->next; return 0; }}",
            (0..4).map(|_| random.statement(2)).collect::<String>()
        );
        let program = program(&text);
        let is_shown = analyse(&program).iter().all(|one| one.holds);
        let has_ended = (0..5).all(|_| ends(&program, &mut random));
        assert!(has_ended || !is_shown, "seed {seed} does not end: {text}");
        shown += usize::from(is_shown);
        infinite += usize::from(!has_ended);
    }
    println!("{shown} shown, {infinite} without end");
    assert!(shown > 50 && infinite > 5, "{shown} shown, {infinite} without end");
}
