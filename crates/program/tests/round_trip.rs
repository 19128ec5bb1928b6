//! The text form loses nothing, and the verifier accepts what the builder builds: on random programs.

mod generator;

use std::collections::HashSet;

use base::Index;
use loopscope_program::text::print;
use loopscope_program::verify::{Defect, verify};
use loopscope_program::{Body, Expr, ExprId, ExprKind, Program};
use parser::parse;

const PROGRAMS: u64 = 2000;

#[test]
fn the_verifier_accepts_what_the_builder_builds() {
    for seed in 0..PROGRAMS {
        let program = generator::program(seed);
        let described =
            |defects: Vec<Defect>| defects.iter().map(|d| d.describe(&program)).collect::<Vec<_>>();
        assert_eq!(verify(&program).map_err(described), Ok(()), "seed {seed}");
    }
}

#[test]
fn the_text_form_loses_nothing() {
    for seed in 0..PROGRAMS {
        let program = generator::program(seed);
        let text = print(&program);
        let parsed = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(print(&parsed), text, "seed {seed}: the text is a fixed point");
        assert_eq!(parse(&text).as_ref(), Ok(&parsed));
        assert_eq!(without_expressions(&program), without_expressions(&parsed), "seed {seed}\n{text}");
        for (before, after) in program.functions.values().zip(parsed.functions.values()) {
            if let (Some(before), Some(after)) = (before.body(), after.body()) {
                assert!(same_expressions(before, after), "seed {seed}: {}\n{text}", print(&parsed));
            }
        }
    }
}

/// Damaged texts give errors or other programs, but never a panic.
#[test]
fn damaged_texts_are_refused_politely() {
    for seed in 0..200 {
        let text = print(&generator::program(seed));
        let characters: Vec<char> = text.chars().collect();
        for step in 1..20 {
            let at = (seed as usize * 7919 + step * characters.len() / 20) % characters.len();
            let mut damaged = characters.clone();
            match step % 3 {
                0 => damaged.truncate(at),
                1 => drop(damaged.drain(at..(at + step).min(characters.len()))),
                _ => damaged[at] = ['(', '"', '#', '-', '@', '0', '}'][step % 7],
            }
            if let Ok(program) = parse(&damaged.into_iter().collect::<String>()) {
                let _ = verify(&program);
                let _ = print(&program);
            }
        }
    }
}

/// The program with the same number for all expressions, and without the expressions themselves.
fn without_expressions(program: &Program) -> Program {
    let mut program = program.clone();
    for (_, function) in program.functions.iter_mut() {
        let Some(body) = function.body_mut() else { continue };
        body.expressions = base::Arena::new();
        for (_, block) in body.blocks.iter_mut() {
            for statement in &mut block.statements {
                statement.kind.for_each_operand(|operand| *operand = ExprId::new(0));
            }
            if let Some(operand) = block.terminator.operand_mut() {
                *operand = ExprId::new(0);
            }
        }
    }
    program
}

/// Whether all statements and ends of blocks compute the same trees.
fn same_expressions(before: &Body, after: &Body) -> bool {
    let roots = |body: &Body| {
        let mut roots = Vec::new();
        for block in body.blocks.values() {
            block.statements.iter().for_each(|statement| roots.extend(statement.kind.operands()));
            roots.extend(block.terminator.operand());
        }
        roots
    };
    let (left, right) = (roots(before), roots(after));
    let mut seen = HashSet::new();
    let mut stack: Vec<(ExprId, ExprId)> = left.iter().copied().zip(right.iter().copied()).collect();
    while let Some(pair) = stack.pop() {
        if !seen.insert(pair) {
            continue;
        }
        let (a, b) = (before.expressions[pair.0], after.expressions[pair.1]);
        if without_operands(a) != without_operands(b) {
            return false;
        }
        stack.extend(a.operands().zip(b.operands()));
    }
    left.len() == right.len()
}

/// The expression with the same number for all operands.
fn without_operands(expr: Expr) -> Expr {
    let any = ExprId::new(0);
    let kind = match expr.kind {
        ExprKind::Unary(op, _) => ExprKind::Unary(op, any),
        ExprKind::Binary(op, ..) => ExprKind::Binary(op, any, any),
        ExprKind::Overflows(op, ..) => ExprKind::Overflows(op, any, any),
        ExprKind::Convert(_) => ExprKind::Convert(any),
        ExprKind::Reinterpret(_) => ExprKind::Reinterpret(any),
        ExprKind::Offset(..) => ExprKind::Offset(any, any),
        ExprKind::Difference(..) => ExprKind::Difference(any, any),
        ExprKind::Select(..) => ExprKind::Select(any, any, any),
        leaf => leaf,
    };
    Expr { kind, ty: expr.ty }
}
