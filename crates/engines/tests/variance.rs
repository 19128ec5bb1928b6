//! Variance analyses on the programs of the paper (Berdine and others, POPL 2007), written from its text.

use base::Budget;
use engines::variance::{self, DomainName, Names, Numeric, Variance};
use loopscope_engines as engines;
use program::Program;
use program::interpret::Integers;

/// What a variance analysis found.
struct Found {
    program: Program,
    numeric: Numeric,
    variances: Vec<Variance>,
}

fn program(text: &str) -> Program {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("loopscope-variance-{}-{number}.c", std::process::id()));
    std::fs::write(&path, text).expect("the folder for temporary files can be written");
    let mut program = c::translate(&[c::Input::new(&path)]).program;
    let _ = std::fs::remove_file(&path);
    program::passes::simplify(&mut program);
    program
}

/// Analyses a program at the heads of its loops, or at a line.
fn analyse(text: &str, domain: DomainName, integers: Integers, line: Option<u32>) -> Found {
    let program = program(&format!("extern int nondet(void); {text}"));
    let function = program.function_named("main").expect("there is a main");
    let numeric = Numeric::of(&program, function, integers, line).expect("main has a body");
    let forests = variance::forests(&program, &numeric);
    let places = match line {
        Some(line) => variance::at_line(&program, &numeric, &forests, line),
        None => variance::heads(&program, &numeric, &forests),
    };
    let is_named = |dimension| variance::is_of_source(&program, &numeric, dimension);
    let mut budget = Budget::steps(5_000_000);
    let variances = variance::analyse_with(domain, &numeric, &forests, &places, &is_named, &mut budget)
        .expect("the programs are small");
    Found { program, numeric, variances }
}

impl Found {
    fn print(&self) {
        for variance in &self.variances {
            let names = Names::of(&self.program, &self.numeric, variance.cutpoint.frame);
            println!(
                "line {} (body {}): {}",
                variance.cutpoint.loop_location.line, variance.cutpoint.body_location.line, variance.holds
            );
            for fact in names.facts(variance) {
                println!("  fact {fact}");
            }
            for assertion in &variance.assertions {
                let shown: Vec<_> = assertion.shown.iter().filter_map(|one| names.text(one)).collect();
                let rank = names.ranking(assertion);
                println!("  {}  [{rank:?}]", shown.join(", "));
            }
        }
    }

    /// The lines at which the bodies of loops start, and whether their local termination predicates hold.
    fn lines(&self) -> Vec<(u32, bool)> {
        let line = |one: &Variance| (one.cutpoint.body_location.line, one.holds);
        self.variances.iter().map(line).collect()
    }
}

/// Whether all local termination predicates are shown, on machine integers and on mathematical ones.
fn terminates(text: &str, domain: DomainName) -> bool {
    let both = [Integers::Machine, Integers::Mathematical].map(|integers| {
        let found = analyse(text, domain, integers, None);
        found.print();
        found.variances.iter().all(|one| one.holds)
    });
    assert_eq!(both[0], both[1], "{text}");
    both[0]
}

/// Fig. 2, its lines 81 to 91 being lines 3 to 13 here, with one of the two conditions of the inner loop.
fn figure_2(condition: &str) -> String {
    format!(
        "int main(void) {{
    int x = nondet(), y = nondet(), a = nondet(), b = nondet();
    while (nondet()) {{
        while (x > a && y > b) {{
            if (nondet()) {{
                do {{
                    x = x - 1;
                }} while ({condition});
            }} else {{
                y = y - 1;
            }}
        }}
    }}
    return 0;
}}"
    )
}

const BOTH: [DomainName; 2] = [DomainName::Octagon, DomainName::Polyhedra];

#[test]
fn figure_2_is_proved_but_for_its_outer_loop() {
    for domain in BOTH {
        let found = analyse(&figure_2("x > 10"), domain, Integers::Machine, None);
        found.print();
        assert_eq!(found.lines(), [(4, false), (5, true), (7, true)]);
    }
}

#[test]
fn figure_2_with_an_inner_loop_that_may_not_end_is_still_proved_around_it() {
    for domain in BOTH {
        let found = analyse(&figure_2("nondet()"), domain, Integers::Machine, None);
        found.print();
        assert_eq!(found.lines(), [(4, false), (5, true), (7, false)]);
    }
}
