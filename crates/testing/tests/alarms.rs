//! Lists of obligations on the corpus: what is true of a program is never denied.

use std::fs;
use std::path::Path;
use std::time::Duration;

use base::Budget;
use clients::Property;
use clients::alarms::{ALL, Alarms, Request};
use evidence::{Listing, Status};
use loopscope_testing::corpus::{Claim, Expectation, annotations, expectation, folder, programs};
use loopscope_testing::interpretation::{Form, prepare, translate};
use program::interpret::{Integers, ObligationSet};

/// The list of a program, or nothing if it cannot be read.
fn list(path: &Path, kinds: ObligationSet, seconds: u64) -> Option<Listing> {
    let mut program = translate(path, &[]).ok()?;
    prepare(&mut program, Form::Simplified).ok()?;
    let request = Request { kinds, function: None, integers: Integers::Machine };
    let mut alarms = Alarms::new(&program, &request).ok()?;
    // No assertion hangs on the time: it only keeps hard questions short.
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
                let is_it = |one: &&evidence::ListedObligation| {
                    let here = one.place.as_ref().map(|place| place.line);
                    one.obligation == obligation && (line.is_none() || here == line)
                };
                let open = |status: &Status| !matches!(status, Status::Proved | Status::Unreachable);
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
