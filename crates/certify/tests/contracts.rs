//! Proofs by contracts of functions: right ones, and wrong ones for every condition of the rule.

mod source;

use base::Budget;
use evidence::{Chains, Contract, Evidence, Formula, Overflow, Pointee, Proof, ProofMode, Property};
use loopscope_certify::abstraction::{Abstraction, Effort};
use loopscope_certify::{Candidate, Certificate, Claim, ModularFunctions, Refusal, Subject, check};
use program::interpret::{Integers, ObligationSet};
use program::{Obligation, Program};
use transform::Callers;

use self::source::program;

fn contract(function: &str, requires: &[&str], ensures: &[&str]) -> Contract {
    let clauses = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("a formula")).collect();
    Contract { requires: clauses(requires), ..Contract::ensuring(function.to_owned(), clauses(ensures)) }
}

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);
    #define nondet __VERIFIER_nondet_int
    #define assert(condition) ((condition) ? (void)0 : reach_error())\n";

fn checked_as(
    text: &str,
    property: Property,
    integers: Integers,
    mode: ProofMode,
    contracts: &[Contract],
) -> Result<Certificate, Refusal> {
    let mut program = program(&format!("{PRELUDE}{text}"));
    program.world.open = program::outside::is_open(&program);
    let function = program.function_named("main").expect("there is a main");
    let proof = Proof { mode, contracts: contracts.to_vec(), ..Proof::default() };
    let claim = Claim { function, property, integers };
    check(&program, claim, &proof, Effort::default(), &Budget::unlimited())
}

fn checked(text: &str, contracts: &[Contract]) -> Result<Certificate, Refusal> {
    let mode = ProofMode::abstraction(1, Overflow::Wraps);
    checked_as(text, Property::UnreachCall, Integers::Machine, mode, contracts)
}

const SUM: &str = "int sum(int n, int m) { if (n <= 0) return m; return sum(n - 1, m + 1); }
    int main(void) { int n = nondet(); if (n < 0 || n > 100) return 0; assert(sum(n, 5) == n + 5); return 0; }";

#[test]
fn a_contract_is_proved_by_induction_on_calls() {
    let bounds = ["start(n) >= 0", "start(m) >= 0", "start(n) + start(m) <= 200"];
    let right = contract("sum", &bounds, &["$result == start(n) + start(m)"]);
    let certificate = checked(SUM, std::slice::from_ref(&right)).expect("it holds");
    assert_eq!(certificate.evidence().contracts(), [right]);
    assert!(matches!(certificate.evidence(), Evidence::Contracts { .. }));
    // The base case, the step, the call in main, the claim: each is needed.
    for (requires, ensures) in [
        (&bounds[..], &["$result == start(n) + start(m) + 1"][..]),
        (&bounds[..], &["$result == 2 * start(n) + start(m)"]),
        (&bounds[1..], &["$result == start(n) + start(m)"]),
        (&["start(n) >= 1", bounds[1], bounds[2]], &["$result == start(n) + start(m)"]),
        (&[bounds[0], bounds[1], "start(n) + start(m) <= 104"], &["$result == start(n) + start(m)"]),
        (&[bounds[0], bounds[1], "start(m) <= 5"], &["$result == start(n) + start(m)"]),
        (&bounds[..], &["$result >= start(m)"]),
        (&bounds[..], &[]),
    ] {
        assert!(checked(SUM, &[contract("sum", requires, ensures)]).is_err(), "{requires:?} {ensures:?}");
    }
}

#[test]
fn what_a_contract_may_speak_of() {
    let bounds = ["start(n) >= 0", "start(m) >= 0", "start(n) + start(m) <= 200"];
    for (requires, ensures) in [
        ("n >= 0", "$result == start(n) + start(m)"),
        ("entry(n) >= 0", "$result == start(n) + start(m)"),
        ("$result >= 0", "$result == start(n) + start(m)"),
        ("start(k) >= 0", "$result == start(n) + start(m)"),
        ("start(n) >= 0", "$result == n + m"),
        ("start(n) * start(m) * start(n) >= 0", "$result == start(n) + start(m)"),
        ("start(n) % 3 == 0", "$result == start(n) + start(m)"),
    ] {
        let requires = [requires, bounds[0], bounds[1], bounds[2]];
        let refused = checked(SUM, &[contract("sum", &requires, &[ensures])]);
        assert!(matches!(refused, Err(Refusal::Unsupported { .. })), "{requires:?} {ensures}: {refused:?}");
    }
    let right = contract("sum", &bounds, &["$result == start(n) + start(m)"]);
    assert!(checked(SUM, &[right.clone(), right.clone()]).is_err());
    assert!(checked(SUM, &[right.clone(), contract("other", &[], &[])]).is_err());
    assert!(checked(SUM, &[right, contract("main", &[], &[])]).is_err());
}

#[test]
fn remainders_are_those_of_bits() {
    let text = "unsigned sum(unsigned n, unsigned m) { if (n == 0) return m; return sum(n - 1, m + 1); }
        int main(void) { unsigned n = nondet(), m = nondet(); assert(sum(n, m) == n + m); return 0; }";
    let wraps = "($result - start(n) - start(m)) % 4294967296 == 0";
    assert!(checked(text, &[contract("sum", &[], &[wraps])]).is_ok());
    assert!(checked(text, &[contract("sum", &[], &["($result - start(n)) % 4294967296 == 0"])]).is_err());
    assert!(checked(text, &[contract("sum", &[], &["$result == start(n) + start(m)"])]).is_err());
    let mode = ProofMode::abstraction(1, Overflow::Wraps);
    let mathematical = Integers::Mathematical;
    let refused =
        checked_as(text, Property::UnreachCall, mathematical, mode, &[contract("sum", &[], &[wraps])]);
    assert!(matches!(refused, Err(Refusal::Unsupported { .. })));
}

#[test]
fn what_a_function_changes_is_not_known_after_it() {
    let text = "int calls, other; void down(int n) { calls++; if (n > 0) down(n - 1); }
        int main(void) { other = 7; calls = 0; down(5); assert(CLAIM); return 0; }";
    let down = |ensures: &[&str]| [contract("down", &["start(calls) >= 0", "start(calls) <= 9"], ensures)];
    let claim = |claim: &str| text.replace("CLAIM", claim);
    assert!(checked(&claim("other == 7"), &[contract("down", &[], &[])]).is_ok());
    assert!(checked(&claim("calls == 6"), &[contract("down", &[], &[])]).is_err());
    assert!(checked(&claim("calls == 0"), &[contract("down", &[], &[])]).is_err());
    let grows = ["calls >= start(calls) + 1"];
    assert!(checked(&claim("calls >= 1"), &down(&grows)).is_err(), "it is called with 10, too");
    let requires = ["start(n) >= 0", "start(n) + start(calls) <= 5", "start(calls) >= 0"];
    let exact = contract("down", &requires, &["calls == start(calls) + start(n) + 1"]);
    assert!(checked(&claim("calls == 6"), std::slice::from_ref(&exact)).is_ok());
    assert!(checked(&claim("calls == 5"), &[exact]).is_err());
}

#[test]
fn obligations_in_contracted_functions_are_shown() {
    let text = "int half(int n) { assert(n != 7); if (n <= 1) return 0; return half(n - 2); }
        int main(void) { int n = nondet(); if (n % 2 == 0 && n > 0 && n < 100) half(n); return 0; }";
    assert!(checked(text, &[contract("half", &["start(n) % 2 == 0"], &[])]).is_ok());
    assert!(checked(text, &[contract("half", &[], &[])]).is_err());
    let divides = "int f(int n, int d) { if (n <= 0) return 1; return f(n - 1, d) / d; }
        int main(void) { f(nondet(), nondet()); return 0; }";
    assert!(checked(divides, &[contract("f", &[], &[])]).is_err());
    assert!(checked(divides, &[contract("f", &["start(d) != 0"], &[])]).is_err());
}

#[test]
fn functions_that_call_each_other_need_a_contract_each() {
    let text = "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); }
        int odd(int n) { return n == 0 ? 0 : even(n - 1); }
        int main(void) { int n = nondet(); if (n < 0) return 0; int r = even(n); assert(r == 0 || r == 1); return 0; }";
    let bit = ["$result >= 0", "$result <= 1"];
    let (even, odd) = (contract("even", &[], &bit), contract("odd", &[], &bit));
    assert!(checked(text, &[even.clone(), odd.clone()]).is_ok());
    assert!(checked(text, std::slice::from_ref(&even)).is_ok(), "odd is followed into even");
    assert!(checked(text, &[even, contract("odd", &[], &bit[..1])]).is_err());
    assert!(checked(text, &[odd, contract("even", &[], &[])]).is_err());
}

#[test]
fn what_has_memory_or_ends_in_another_way_has_no_contract() {
    for function in [
        "int f(int n) { table[n & 3]++; return n > 0 ? f(n - 1) : table[0]; }",
        "int f(int n) { return n > 0 ? f(n - 1) : table[0]; }",
        "static void set(int *p) { *p = 1; } int f(int n) { int x = 0; set(&x); return n > 0 ? f(n - x) : x; }",
        "int f(int n) { if (n == 3) exit(1); return n > 0 ? f(n - 1) : 0; }",
        "int f(int n) { int (*g)(int) = f; return n > 0 ? g(n - 1) + f(n - 2) : 0; }",
        "int f(int n) { int *p = malloc(4); if (p) free(p); return n > 0 ? f(n - 1) : 0; }",
    ] {
        let text = format!(
            "typedef unsigned long size_t; void exit(int); void *malloc(size_t); void free(void *); int table[4];
             {function} int main(void) {{ table[1] = nondet(); table[table[1] & 3] = 2; f(nondet()); return 0; }}"
        );
        let refused = checked(&text, &[contract("f", &[], &[])]);
        assert!(matches!(refused, Err(Refusal::Unsupported { .. })), "{function}: {refused:?}");
    }
    let open = "int elsewhere(void); int f(int n) { return n > 0 ? f(n - 1) : 0; }
        int main(void) { f(elsewhere()); return 0; }";
    assert!(matches!(checked(open, &[contract("f", &[], &[])]), Err(Refusal::Unsupported { .. })));
}

#[test]
fn contracts_say_nothing_about_ends_and_lost_memory() {
    let text = "int f(int n) { return n > 0 ? f(n - 1) : 0; } int main(void) { f(3); return 0; }";
    let contracts = [contract("f", &[], &[])];
    let mode = ProofMode::abstraction(1, Overflow::Wraps);
    let checked = |property: &str, mode| {
        let property = Property::from_name(property).expect("a property");
        checked_as(text, property, Integers::Machine, mode, &contracts)
    };
    assert!(checked("unreach-call", mode).is_ok());
    assert!(checked("valid-deref", mode).is_ok());
    assert!(checked("termination", mode).is_err());
    assert!(checked("memsafety", mode).is_err());
    assert!(checked("valid-memtrack", mode).is_err());
    assert!(checked("unreach-call", ProofMode::unrolled(9, Overflow::Wraps)).is_err());
    assert!(checked("unreach-call", ProofMode { chains: Some(Chains::WithoutMemory), ..mode }).is_err());
}

#[test]
fn an_entry_that_is_called_again_has_no_contracts_below_it() {
    let text = "int n; int f(int k) { return k > 0 ? f(k - 1) : 0; }
        int main(void) { if (n < 3) { n++; main(); } f(n); return 0; }";
    assert!(checked(text, &[contract("f", &[], &[])]).is_err());
}

/// Whether the kernel accepts what is guessed of the results of `f`, given invariants of its first loop; learns it then.
fn gives(functions: &ModularFunctions<'_>, program: &Program, clause: &str, invariants: &[&str]) -> bool {
    let function = program.function_named("f").expect("it is there");
    let clauses = [clause.parse().expect("a formula")];
    let Some(guess) = functions.guess(function, &clauses) else { return false };
    let subject = Subject::modular(&guess, Integers::Machine);
    let (mode, mut budget) = (ProofMode::modular(Overflow::Any), Budget::unlimited());
    let mut abstraction = Abstraction::new(&subject, mode, &mut budget).expect("it is small");
    for invariant in invariants {
        let formula = invariant.parse().expect("a formula");
        abstraction.accept(&[0], &[Candidate { abstract_loop: 0, formula }], Effort::default(), &mut budget);
    }
    let results = abstraction.results(Effort::default(), &mut budget);
    results.is_some_and(|results| functions.results().learn(&results))
}

#[test]
fn results_are_what_every_return_gives() {
    let loops = "int f(int n) { int i = 0; while (i < n) i++; return i; }";
    let recursive = "int f(int n) { if (n > 9) return 3; return f(n + 1); }";
    let memory = "int table[4]; int f(int n) { return table[n & 3]; }";
    for (text, clause, invariants, holds) in [
        ("int f(int n) { return n > 5 ? 2 : 1; }", "$result >= 1", &[][..], true),
        ("int f(int n) { return n > 5 ? 2 : 1; }", "$result >= 2", &[], false),
        ("int f(int n) { n++; return n; }", "$result == start(n) + 1", &[], true),
        ("int f(int n) { n++; return n; }", "$result == start(n)", &[], false),
        ("unsigned f(unsigned n) { return n + 1; }", "$result >= start(n)", &[], false),
        ("int f(int n) { if (n) return 1; }", "$result == 1", &[], false),
        (loops, "$result >= 0", &["i >= 0"], true),
        (loops, "$result >= 0", &[], false),
        (loops, "$result >= 1", &["i >= 0"], false),
        (recursive, "$result == 3", &[], true),
        (recursive, "$result == 4", &[], false),
        (memory, "$result == 0", &[], false),
        ("int g; int f(int n) { g = n; return g; }", "$result == start(n)", &[], true),
        (
            "int g; void h(void) { g++; } int f(int n) { g = n; h(); return g; }",
            "$result == start(n)",
            &[],
            false,
        ),
        ("int h(int); int f(int n) { return h(n); }", "$result >= 0", &[], false),
        ("int f(int n) { __asm__(\"nop\" : \"+r\"(n)); return n; }", "$result == start(n)", &[], false),
        ("void f(int n) { }", "$result == 0", &[], false),
        ("int f(int n) { return 1; }", "$result == m", &[], false),
    ] {
        let program = program(text);
        let functions = ModularFunctions::of(&program);
        assert_eq!(gives(&functions, &program, clause, invariants), holds, "{text} {clause}");
    }
}

#[test]
fn results_are_known_of_their_own_program_only() {
    let (one, two) = ("int f(int n) { return 1; }", "int f(int n) { return 2; }");
    let (one, two) = (program(one), program(two));
    let (first, second) = (ModularFunctions::of(&one), ModularFunctions::of(&two));
    let function = one.function_named("f").expect("it is there");
    let guess = first.guess(function, &["$result == 1".parse().expect("a formula")]).expect("it is written");
    let subject = Subject::modular(&guess, Integers::Mathematical);
    assert_eq!(subject.claim().integers, Integers::Machine);
    let (mode, mut budget) = (ProofMode::modular(Overflow::Any), Budget::unlimited());
    let mut abstraction = Abstraction::new(&subject, mode, &mut budget).expect("it is small");
    assert_eq!(abstraction.mode().overflow, Overflow::Excluded);
    let results = abstraction.results(Effort::default(), &mut budget).expect("it holds");
    assert!(!second.results().learn(&results) && second.results().of(function).is_none());
    assert!(first.results().learn(&results) && first.results().of(function).is_some());
    // Without a guess, or with an assumption at entry, nothing is proved of results.
    let condition = "start(n) >= 0".parse().expect("a formula");
    for other in [first.function(function), guess.assuming(&condition)] {
        let other = other.expect("it is there");
        let subject = Subject::modular(&other, Integers::Machine);
        let mut abstraction = Abstraction::new(&subject, mode, &mut budget).expect("it is small");
        assert!(abstraction.results(Effort::default(), &mut budget).is_none());
    }
}

/// Whether calls of a function that meet its contract do what the contract says, and nothing that C leaves undefined.
fn is_met(text: &str, contract: &Contract) -> bool {
    let program = program(&format!("{PRELUDE}{text}"));
    let callers = Callers::of(&program);
    let kinds = ObligationSet::ALL.without(Obligation::Leak);
    let subject =
        Subject::of_callers(&callers, contract, kinds, Integers::Machine).expect("it can be written");
    let mode = ProofMode::abstraction(1, Overflow::Wraps);
    let mut budget = Budget::unlimited();
    let mut abstraction = Abstraction::new(&subject, mode, &mut budget).expect("there is time");
    let certificate = abstraction.contract(Effort::default(), &mut budget);
    assert!(certificate.as_ref().is_none_or(|certificate| certificate.contract() == contract));
    certificate.is_some()
}

/// What a parameter points to.
fn pointee(parameter: &str, bytes: &str) -> Pointee {
    let bytes = format!("{bytes} == 0").parse().map(|formula| match formula {
        Formula::Compare { left, .. } => left,
        other => panic!("{other}"),
    });
    let (parameter, bytes) = (parameter.into(), bytes.expect("an expression"));
    Pointee { parameter, field: None, bytes, terminated: false, changed: false, not_null: false }
}

#[test]
fn pointers_lead_as_far_as_the_contract_says() {
    let text = "int get(int *a, int n, int i) { return a[i]; }";
    let element = |requires: &[&str], bytes: &str| Contract {
        objects: vec![pointee("a", bytes)],
        ..contract("get", requires, &[])
    };
    let (low, high) = ("start(i) >= 0", "start(i) < start(n)");
    assert!(is_met(text, &element(&[low, high], "4 * start(n)")));
    assert!(is_met(text, &element(&[low], "4 * start(i) + 4")));
    for (requires, bytes) in [
        (&[high][..], "4 * start(n)"),
        (&[low], "4 * start(n)"),
        (&[low, "start(i) <= start(n)"], "4 * start(n)"),
        (&[low, high], "4 * start(n) - 1"),
        (&[low, high], "start(n)"),
        (&[low], "4 * start(i) + 3"),
    ] {
        assert!(!is_met(text, &element(requires, bytes)), "{requires:?} {bytes}");
    }
    assert!(!is_met(text, &contract("get", &[low, high], &[])), "the pointer may be null");
}

#[test]
fn what_is_not_to_change_does_not() {
    let text = "void put(char *a, char *b, int n) { if (n > 0) a[n - 1] = b[n - 1]; }";
    let claim = |a: bool, b: bool| {
        let [mut first, mut second] = [pointee("a", "start(n)"), pointee("b", "start(n)")];
        (first.changed, second.changed) = (a, b);
        Contract { objects: vec![first, second], ..contract("put", &[], &[]) }
    };
    assert!(is_met(text, &claim(true, false)));
    assert!(is_met(text, &claim(true, true)));
    assert!(!is_met(text, &claim(false, true)));
    assert!(!is_met(text, &claim(false, false)));
}

#[test]
fn sizes_are_products_of_numbers_without_limits() {
    let text = "int cell(int *m, int rows, int columns, int i, int k) { return m[i * columns + k]; }";
    let bounds = ["start(i) >= 0", "start(i) < start(rows)", "start(k) >= 0", "start(k) < start(columns)"];
    let claim = |bytes: &str, requires: &[&str]| Contract {
        objects: vec![pointee("m", bytes)],
        ..contract("cell", requires, &[])
    };
    let small = [&bounds[..], &["start(rows) < 9", "start(columns) < 9"]].concat();
    assert!(is_met(text, &claim("4 * start(rows) * start(columns)", &small)));
    assert!(!is_met(text, &claim("4 * start(rows) * start(columns)", &bounds)), "the index may overflow");
    assert!(!is_met(text, &claim("4 * start(rows) * start(columns) - 4", &small)));
    assert!(!is_met(text, &claim("4 * start(rows) * start(rows)", &small)));
    // A product of two ints does not wrap in a contract.
    let text = "void f(int a, int b) { assert(CLAIM); }";
    let same = ["start(a) * start(b) == 4294967296"];
    let numbers = |assertion: &str| is_met(&text.replace("CLAIM", assertion), &contract("f", &same, &[]));
    assert!(numbers("(long)a * b == 4294967296"));
    assert!(!numbers("a == 65536"));
}

#[test]
fn strings_end_somewhere() {
    let string = |bytes: &str| Pointee { terminated: true, ..pointee("s", bytes) };
    let claim = |bytes: &str| Contract { objects: vec![string(bytes)], ..contract("f", &[], &[]) };
    assert!(is_met("int f(const char *s) { return s[0]; }", &claim("0")));
    assert!(is_met("int f(const char *s) { return s[0] && s[1]; }", &claim("0")));
    assert!(!is_met("int f(const char *s) { return s[1]; }", &claim("0")));
    assert!(is_met("int f(const char *s) { return s[1]; }", &claim("2")));
    assert!(!is_met("int f(const char *s) { return s[2]; }", &claim("2")));
    let bytes = Pointee::string_bytes(&"s".into());
    let any = Contract { objects: vec![Pointee { bytes, ..string("0") }], ..contract("f", &[], &[]) };
    assert!(is_met("int f(const char *s) { return s[0] && s[1]; }", &any));
    assert!(!is_met("int f(const char *s) { return s[1]; }", &any));
}

#[test]
fn numbers_in_memory_have_conditions() {
    let text = "struct buffer { char *data; int size; };
        int at(struct buffer *b, int i) { return b->data[i]; }";
    let claim = |requires: &[&str], objects: &[Pointee], ensures: &[&str]| Contract {
        objects: objects.to_vec(),
        ..contract("at", requires, ensures)
    };
    let buffer = pointee("b", "16");
    let data = |bytes| Pointee { field: Some(0), ..pointee("b", bytes) };
    let all = [buffer.clone(), data("start(b.s4[2])")];
    let (low, high) = ("start(i) >= 0", "start(i) < start(b.s4[2])");
    assert!(is_met(text, &claim(&[low, high], &all, &["b.s4[2] == start(b.s4[2])"])));
    assert!(is_met(text, &claim(&[low, "start(i) < 9"], &[buffer.clone(), data("9")], &[])));
    assert!(!is_met(text, &claim(&[low, high], &all, &["b.s4[2] == start(b.s4[2]) + 1"])));
    assert!(!is_met(text, &claim(&[low, high], std::slice::from_ref(&buffer), &[])));
    assert!(!is_met(text, &claim(&[low, high], &[buffer, data("start(b.s4[2]) - 1")], &[])));
    assert!(!is_met(text, &claim(&[low], &all, &[])));
    assert!(!is_met(text, &claim(&[high], &all, &[])));
    // What stands at the place of the pointer is not for numbers to say.
    let overlaid = Pointee { field: Some(8), ..pointee("b", "9") };
    assert!(!is_met(text, &claim(&[low, "start(i) < 9"], &[pointee("b", "16"), overlaid], &[])));
}

#[test]
fn a_pointer_that_needs_no_bytes_may_be_anything() {
    let text = "int f(char *s, int n) { assert(CLAIM); if (n > 0) return s[n - 1]; return 0; }";
    let claim = |claim: &str, object: Pointee| {
        is_met(&text.replace("CLAIM", claim), &Contract { objects: vec![object], ..contract("f", &[], &[]) })
    };
    assert!(claim("1", pointee("s", "start(n)")));
    assert!(!claim("s != 0", pointee("s", "start(n)")));
    assert!(claim("n <= 0 || s != 0", pointee("s", "start(n)")));
    assert!(claim("s != 0", Pointee { not_null: true, ..pointee("s", "start(n)") }));
    assert!(claim("n > 3 || s != 0", Pointee { not_null: true, ..pointee("s", "start(n)") }));
}

#[test]
fn code_outside_may_know_the_objects_of_callers() {
    let text = "void outside(void); void f(int *p) { *p = 1; CALL assert(*p == 1); }";
    let changed = Pointee { changed: true, ..pointee("p", "4") };
    let claim = Contract { objects: vec![changed], ..contract("f", &[], &[]) };
    assert!(is_met(&text.replace("CALL", ""), &claim));
    assert!(!is_met(&text.replace("CALL", "outside();"), &claim));
}

#[test]
fn nothing_is_known_of_an_address() {
    // A pointer may stand in the middle of its object, wherever that is.
    for text in [
        "void f(char *s) { assert(((unsigned long)s & 7) == 0); }",
        "void f(char *s) { assert(((unsigned long)s & 1) == 0); }",
        "void f(char *s) { assert((unsigned long)s > 4096); }",
        "void f(char *s) { assert((unsigned long)(s + 3) > 3); }",
        "int g; void f(char *s) { assert((unsigned long)s > (unsigned long)&g); }",
        "void f(char *s) { char b; assert((unsigned long)s > (unsigned long)&b); }",
        "char *kept; void f(char *s) { assert(kept != s); }",
        "char *kept; void f(char *s) { if (kept == s) *kept = 1; }",
        "void f(char *s) { s[-1] = 1; }",
    ] {
        let changed = Pointee { changed: true, ..pointee("s", "16") };
        let claim = Contract { objects: vec![changed], ..contract("f", &[], &[]) };
        assert!(!is_met(text, &claim), "{text}");
    }
}
