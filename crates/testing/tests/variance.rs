//! No run leaves what a variance analysis says of its loops.

use engines::variance::DomainName;
use loopscope_testing::variance::{Counts, check};

fn compare(domain: DomainName, seeds: u64) {
    let folder = std::env::temp_dir();
    let mut counts = Counts::default();
    for seed in 1..=seeds {
        if let Err(message) = check(&folder, seed, domain, &mut counts) {
            panic!("{domain:?}, seed {seed}: {message}");
        }
    }
    println!("{domain:?}: {counts:?}");
    let enough = seeds as usize;
    assert!(counts.heads > enough && counts.visits > 10 * enough && counts.pairs > 10 * enough, "{counts:?}");
}

#[test]
fn runs_are_as_octagons_say() {
    compare(DomainName::Octagon, 100);
}

#[test]
fn runs_are_as_octagons_with_congruences_say() {
    compare(DomainName::Congruence, 20);
}

#[test]
fn runs_are_as_intervals_say() {
    compare(DomainName::Interval, 50);
}

#[test]
fn runs_are_as_polyhedra_say() {
    // Generated programs have many variables, which is hard for polyhedra.
    compare(DomainName::Polyhedra, 10);
}
