//! Lists of obligations on the corpus: what is true of a program is never denied.

use std::fs;
use std::path::Path;
use std::time::Duration;

use base::Budget;
use certify::{ListedObligation, Listing, Status};
use clients::Property;
use clients::alarms::{ALL, Alarms, Request};
use evidence::Place;
use loopscope_testing::corpus::{Claim, Expectation, annotations, expectation, folder, programs};
use loopscope_testing::interpretation::{Form, prepare, program_of, translate};
use program::interpret::{Integers, ObligationSet};
use program::{Program, StatementKind};

/// The list of a program, or nothing if it cannot be read.
fn list(path: &Path, kinds: ObligationSet, seconds: u64) -> Option<Listing> {
    let mut program = translate(path, &[]).ok()?;
    prepare(&mut program, Form::Simplified).ok()?;
    let request = Request { kinds, function: None, integers: Integers::Machine };
    let listing = listed(&program, &request, seconds)?;
    assert_eq!(missing(&program, kinds, &listing), Vec::<String>::new(), "{}", path.display());
    Some(listing)
}

fn listed(program: &Program, request: &Request, seconds: u64) -> Option<Listing> {
    let mut alarms = Alarms::new(program, request).ok()?;
    // No assertion hangs on the time: it only keeps hard queries short.
    let budget = Budget::unlimited().within(Duration::from_secs(seconds));
    while let Some(function) = alarms.next_function() {
        let examined = alarms.examine(function, &budget, &mut |_| {});
        alarms.add(function, examined);
    }
    Some(alarms.finish())
}

#[test]
fn what_a_run_trips_is_never_proved_and_what_is_clean_never_refuted() {
    let (mut problems, mut refuted, mut proved) = (Vec::new(), 0, 0);
    for path in programs(&folder().join("obligations")).unwrap() {
        let name = path.display();
        let expected = expectation(&fs::read_to_string(&path).unwrap()).unwrap();
        let Some(listing) = list(&path, ALL, 5) else { continue };
        match expected {
            Expectation::Clean if listing.is_refuted() => problems.push(format!("{name}: refuted")),
            Expectation::Clean => proved += usize::from(listing.is_proved()),
            Expectation::Trips { obligation, line } => {
                let is_it = |one: &&ListedObligation| {
                    let here = one.place.as_ref().map(|place| place.line);
                    one.obligation == obligation && (line.is_none() || here == line)
                };
                let open = |status: &Status| !status.holds();
                if !listing.obligations().filter(is_it).any(|one| open(&one.status)) {
                    problems.push(format!("{name}: the violation is not in the list"));
                }
                refuted += usize::from(listing.is_refuted());
            }
        }
    }
    println!("{refuted} lists with a refutation, {proved} with nothing but proofs");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(refuted > 0 && proved > 0);
}

#[test]
fn no_list_contradicts_an_annotation() {
    let mut problems = Vec::new();
    for path in programs(&folder()).unwrap() {
        for annotation in annotations(&fs::read_to_string(&path).unwrap()).unwrap() {
            let (property, holds) = match annotation.claim {
                Claim::Holds(property, _) => (property, true),
                Claim::Fails(property, _) => (property, false),
                _ => continue,
            };
            if property == Property::Termination {
                continue;
            }
            let Some(listing) = list(&path, property.obligations(), 2) else { continue };
            let asked = listing.obligations().filter(|one| one.asked);
            let refuted = asked.into_iter().any(|one| matches!(one.status, Status::Refuted { .. }));
            if holds && refuted || !holds && listing.is_proved() {
                problems.push(format!("{} {}", path.display(), property.name()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The obligations of the checks that stand in a program, and are not in a list of them.
fn missing(program: &Program, kinds: ObligationSet, listing: &Listing) -> Vec<String> {
    let mut missing = Vec::new();
    for (_, function) in program.functions.iter() {
        let statements =
            function.body().into_iter().flat_map(|body| body.blocks.values()).flat_map(|b| &b.statements);
        let checks = statements.filter_map(|statement| match &statement.kind {
            StatementKind::Check(check) => Some((check, Place::of(program, statement.location))),
            _ => None,
        });
        for (check, place) in checks {
            for &obligation in check.obligations().iter().filter(|one| kinds.contains(**one)) {
                let here = listing.functions.iter().filter(|one| one.function == function.name);
                let mut all = here.flat_map(|one| &one.obligations);
                if !all.any(|one| one.obligation == obligation && one.place == place) {
                    missing.push(format!("{obligation} in {} at {place:?}", function.name));
                }
            }
        }
    }
    missing
}

#[test]
fn every_check_of_every_function_is_listed() {
    let programs = [
        // A run comes to a function that the encoding does not come to: deep in a recursion, by a pointer, after what is not
        // followed.
        "int g(int x) { int y = 10 / x; return y / (x - 1); }
         int down(int n) { return n > 0 ? down(n - 1) : g(0); }
         int main(void) { return down(40); }",
        "int z; int g(int x) { int y = 10 / x; return y / z; }
         int (*table[2])(int) = {g, g};
         int main(void) { int i = z; return table[i & 1](0); }",
        "int g(int x) { return x / (x + 1); } int h(int x) { return 3 / x + g(x); }
         int main(void) { int s = 0; for (int i = 0; i < 3; i++) s += h(i); return s; }",
        "int never(int x) { return 1 / x; } int main(void) { return 0; if (0) never(1); }",
    ];
    for (number, text) in programs.iter().enumerate() {
        let program = program_of(&std::env::temp_dir(), text, Form::Simplified).unwrap();
        for function in [None, Some(String::from("main"))] {
            let request = Request { kinds: ALL, function: function.clone(), integers: Integers::Machine };
            let listing = listed(&program, &request, 5).unwrap();
            let missing = missing(&program, ALL, &listing);
            // If a function is asked for, those that it does not come to need not be there.
            let is_complete = missing.is_empty() || (function.is_some() && number == 3);
            assert!(is_complete, "program {number}, {function:?}: {missing:?}\n{listing:?}");
        }
    }
}

#[test]
fn every_check_of_generated_programs_is_listed() {
    for seed in 1..=12 {
        let text = loopscope_testing::bounds::text(seed);
        let program = program_of(&std::env::temp_dir(), &text, Form::Simplified).unwrap();
        let request = Request { kinds: ALL, function: None, integers: Integers::Machine };
        let listing = listed(&program, &request, 1).unwrap();
        assert_eq!(missing(&program, ALL, &listing), Vec::<String>::new(), "{text}");
    }
}
