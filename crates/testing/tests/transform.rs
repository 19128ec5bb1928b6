//! What a program does, the programs that are made from it can do.

use loopscope_testing::generator::generate;
use loopscope_testing::interpretation::{Form, program_of};
use loopscope_testing::transform::alone::{compare, names};
use loopscope_testing::transform::programs::{WRITTEN, recursive};
use loopscope_testing::transform::{Damage, Limits, Tally, check};
use program::{Program, StatementKind, Terminator, Value};

fn examine(text: &str, seed: u64, tally: &mut Tally) {
    match check(&std::env::temp_dir(), text, seed, &Limits::default()) {
        Ok(more) => tally.add(&more),
        Err(message) => panic!("seed {seed}: {message}\n{text}"),
    }
}

#[test]
fn written_programs_keep_their_runs() {
    let mut tally = Tally::default();
    for text in WRITTEN {
        (0..3).for_each(|seed| examine(text, seed, &mut tally));
    }
    println!("{tally:#?}");
    assert!(tally.doubtful == 0 && tally.parts.values().all(|part| part.lost == 0), "{tally:#?}");
    assert!(tally.part("modular").runs > 300, "{tally:#?}");
    assert!(tally.part("call_chains with memory").longest > 10, "{tally:#?}");
}

#[test]
fn recursive_programs_keep_their_runs() {
    let mut tally = Tally::default();
    (0..60).for_each(|seed| examine(&recursive(seed), seed, &mut tally));
    println!("{tally:#?}");
    assert!(tally.doubtful < 10 && tally.parts.values().all(|part| part.lost == 0), "{tally:#?}");
    for (name, part) in tally.parts {
        assert!(part.runs > 20, "{name}: {part:?}");
    }
}

#[test]
fn generated_programs_keep_their_runs() {
    let mut tally = Tally::default();
    (0..8).for_each(|seed| examine(&generate(seed), seed, &mut tally));
    println!("{tally:#?}");
    assert!(tally.doubtful < 4 && tally.part("modular").runs > 50, "{tally:#?}");
}

/// Leaves out the statements that give variables any value for some reason.
fn without(program: &mut Program, reason: &str) {
    for (_, function) in program.functions.iter_mut() {
        for (_, block) in function.body_mut().into_iter().flat_map(|body| body.blocks.iter_mut()) {
            block.statements.retain(
                |statement| !matches!(&statement.kind, StatementKind::Input { name, .. } if name == reason),
            );
        }
    }
}

/// Lets all variables of the program start with zero.
fn start_with_zero(program: &mut Program) {
    let numbers =
        program.globals.iter_mut().filter(|global| global.variable.ty == program::Type::unsigned(32));
    numbers.for_each(|global| global.initial = Value::Integer(0));
}

/// Lets the first choice always go one way.
fn choose_once(program: &mut Program) {
    for (_, function) in program.functions.iter_mut() {
        let Some(body) = function.body_mut() else { continue };
        let branches = body.blocks.values().map(|block| match block.terminator {
            Terminator::Branch { condition, otherwise, .. } => Some((condition, otherwise)),
            _ => None,
        });
        let chosen = branches.enumerate().find_map(|(place, branch)| {
            let (condition, otherwise) = branch?;
            let mut is_choice = false;
            body.for_each_variable(condition, &mut |one| {
                is_choice |= !one.is_global() && body.variables[one].name.starts_with("call");
            });
            is_choice.then_some((place, otherwise))
        });
        if let Some((place, otherwise)) = chosen {
            body.blocks[base::Index::new(place)].terminator = Terminator::Goto(otherwise);
        }
    }
}

#[test]
fn programs_that_do_less_are_noticed() {
    let damages: [(&str, Damage); 8] = [
        ("what is read", |program| without(program, "memory")),
        ("what calls do", |program| without(program, "elsewhere")),
        ("volatile objects", |program| without(program, "volatile")),
        ("addresses", |program| without(program, "address")),
        ("objects of pointers", |program| without(program, "object")),
        ("variables of another call", |program| without(program, "another call")),
        ("variables at the start", start_with_zero),
        ("calls that are followed", choose_once),
    ];
    for (what, damage) in damages {
        let limits = Limits { damage, ..Limits::default() };
        let texts = WRITTEN.iter().map(|text| (*text).to_owned()).chain((0..10).map(recursive));
        let is_noticed = |text: String| check(&std::env::temp_dir(), &text, 1, &limits).is_err();
        let noticed = texts.map(is_noticed).filter(|noticed| *noticed).count();
        println!("{what}: {noticed}");
        assert!(noticed > 0, "{what}");
    }
}

#[test]
fn a_function_by_itself_is_what_it_is_in_the_modular_program() {
    let written = WRITTEN.iter().map(|text| (*text).to_owned());
    let texts = written.chain((0..30).map(recursive)).chain((0..12).map(generate));
    let (mut functions, mut variables) = (0, 0);
    for text in texts {
        let program = program_of(&std::env::temp_dir(), &text, Form::Simplified).expect("it is a program");
        for open in [false, true] {
            let mut program = program.clone();
            program.world.open |= open;
            let (compared, kept) = compare(&program).unwrap_or_else(|what| panic!("{what}\n{text}"));
            (functions, variables) = (functions + compared, variables + kept);
        }
    }
    assert!(functions > 500 && variables > 500, "{functions} functions, {variables} variables");
}

/// Three variables have one name, and a parameter has it, too.
#[test]
fn a_variable_keeps_its_name_in_a_function_by_itself() {
    let text = "int a, b, c;
        void first(void) { a = 1; }
        void third(void) { c = 1; }
        void hidden(int n) { c = n; }
        void both(void) { c = a; }
        void second(void) { b = 1; }";
    let mut program = program_of(&std::env::temp_dir(), text, Form::Simplified).expect("it is a program");
    assert_eq!(program.globals.len(), 3);
    for global in &mut program.globals {
        global.variable.name = String::from("n");
    }
    compare(&program).unwrap_or_else(|what| panic!("{what}"));
    let kept = |name: &str| names(&program, program.function_named(name).expect("it is there"));
    assert_eq!(kept("first"), ["n"]);
    assert_eq!(kept("third"), ["n#3"]);
    assert_eq!(kept("hidden"), ["n#4"]);
    assert_eq!(kept("both"), ["n", "n#3"]);
}
