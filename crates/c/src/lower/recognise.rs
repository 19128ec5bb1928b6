//! Calls that mean something to a verifier become statements: inputs, assumptions, assertions, ends of the program.
//!
//! This runs on the linked program, because a function is only taken for what its name says if no unit defines it
//! (`reach_error` excepted: benchmarks define it, and still mean the call).

use std::collections::HashMap;

use program::{
    Block, Body, Callee, Check, Definition, ExprId, ExprKind, FunctionId, Initial, ObjectRef, Obligation,
    Program, Statement, StatementKind, Terminator, Type, VariableId,
};

/// What a call of a function means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// An arbitrary value.
    Input,
    /// The first argument is assumed.
    Assume,
    /// The first argument is asserted.
    Assert,
    /// An assertion has failed; the first argument is its text.
    AssertionFailed,
    /// The place that must not be reached.
    ReachError,
    /// Control comes back twice, or somewhere else.
    NonlocalJump,
    /// The given pointer is freed.
    Free,
    /// These arguments are strings.
    Strings(&'static [usize]),
    /// Only that it does not return is known.
    Ends,
}

/// What a function that no unit defines means by its name.
fn meaning(name: &str) -> Option<Meaning> {
    Some(match name {
        "__VERIFIER_assume" | "__CPROVER_assume" | "__ESBMC_assume" | "assume" => Meaning::Assume,
        "__VERIFIER_assert" | "__CPROVER_assert" | "__ESBMC_assert" | "assert" => Meaning::Assert,
        "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail" => Meaning::AssertionFailed,
        "__VERIFIER_error" | "reach_error" => Meaning::ReachError,
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "longjmp" | "_longjmp" | "siglongjmp"
        | "vfork" | "getcontext" | "setcontext" | "swapcontext" => Meaning::NonlocalJump,
        "free" | "cfree" | "realloc" | "reallocarray" => Meaning::Free,
        "strlen" | "strdup" | "strchr" | "strrchr" | "index" | "rindex" | "atoi" | "atol" | "atoll"
        | "atof" | "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtod" | "strtof" | "puts" => {
            Meaning::Strings(&[0])
        }
        "strcmp" | "strcoll" | "strcasecmp" | "strstr" | "strcasestr" | "strspn" | "strcspn" | "strpbrk"
        | "strcat" => Meaning::Strings(&[0, 1]),
        "strcpy" | "stpcpy" => Meaning::Strings(&[1]),
        "strncat" => Meaning::Strings(&[0]),
        "exit" | "_exit" | "_Exit" | "abort" | "quick_exit" | "__stack_chk_fail" | "__builtin_trap" => {
            Meaning::Ends
        }
        _ if is_nondeterministic(name) => Meaning::Input,
        _ => return None,
    })
}

/// Whether a call of a function is an error, even if a unit defines it.
pub(super) fn means_an_error(name: &str) -> bool {
    meaning(name) == Some(Meaning::ReachError)
}

/// Whether a name says that its function gives an arbitrary value, as benchmarks and papers write it:
/// `__VERIFIER_nondet_int`, `nondet_bool`, `unknown1`.
pub(super) fn is_nondeterministic(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("__verifier_nondet") || name.starts_with("nondet") || name.starts_with("unknown")
}

/// Functions that change the direction in which floating point numbers are rounded.
const ROUNDING: [&str; 7] =
    ["fesetround", "__fesetround", "fesetenv", "feupdateenv", "feholdexcept", "_controlfp", "fpsetround"];

/// Rewrites the calls of a linked program.
pub(super) fn recognise(program: &mut Program) {
    program.world.rounding |= program.functions.values().any(|function| {
        matches!(function.definition, Definition::External) && ROUNDING.contains(&function.name.as_str())
    });
    let mut meanings: HashMap<FunctionId, (Meaning, String)> = HashMap::new();
    for (id, function) in program.functions.iter_mut() {
        let external = matches!(function.definition, Definition::External);
        match meaning(&function.name) {
            Some(Meaning::Ends) if external => function.no_return = true,
            Some(Meaning::ReachError) => {
                function.no_return |= external;
                meanings.insert(id, (Meaning::ReachError, function.name.clone()));
            }
            Some(Meaning::AssertionFailed) if external => {
                function.no_return = true;
                meanings.insert(id, (Meaning::AssertionFailed, function.name.clone()));
            }
            // A function that is given a pointer may do more than give a value.
            Some(Meaning::Input) if function.parameters.contains(&Type::Pointer) => {}
            Some(meaning) if external => {
                meanings.insert(id, (meaning, function.name.clone()));
            }
            _ => {}
        }
    }
    let size_type = program.data_model.size_type();
    let no_return: Vec<bool> = program.functions.values().map(|function| function.no_return).collect();
    let texts: Vec<Option<String>> = program.objects.values().map(|object| text(&object.initial)).collect();
    for body in program.bodies_mut() {
        let mut changed = false;
        for id in body.blocks.ids() {
            let calls = body.blocks[id].statements.iter().any(|statement| {
                statement.kind.called().is_some_and(|callee| {
                    no_return[base::Index::index(callee)] || meanings.contains_key(&callee)
                })
            });
            if calls {
                rewrite(body, id, &meanings, &no_return, &texts, size_type);
                changed = true;
            }
        }
        if changed {
            body.remove_unreachable_blocks();
        }
    }
}

fn rewrite(
    body: &mut Body,
    id: program::BlockId,
    meanings: &HashMap<FunctionId, (Meaning, String)>,
    no_return: &[bool],
    texts: &[Option<String>],
    size_type: Type,
) {
    let statements = std::mem::take(&mut body.blocks[id].statements);
    let mut rewritten = Vec::with_capacity(statements.len());
    for statement in statements {
        let StatementKind::Call { target, callee: Callee::Function(callee), arguments } = &statement.kind
        else {
            rewritten.push(statement);
            continue;
        };
        let (location, callee) = (statement.location, *callee);
        let ends = match meanings.get(&callee) {
            Some((meaning, name)) => {
                let call = Call { target: *target, arguments, name };
                let (before, is_kept) = meant(body, meaning, &call, texts, size_type);
                rewritten.extend(before.into_iter().map(|kind| Statement { kind, location }));
                rewritten.extend(is_kept.then_some(statement));
                *meaning == Meaning::NonlocalJump && (name.contains("longjmp") || name == "setcontext")
            }
            None => {
                rewritten.push(statement);
                false
            }
        };
        if ends || no_return[base::Index::index(callee)] {
            end(&mut body.blocks[id], location);
            break;
        }
    }
    body.blocks[id].statements = rewritten;
}

/// A call of a function that means something.
struct Call<'a> {
    target: Option<VariableId>,
    arguments: &'a [ExprId],
    name: &'a str,
}

/// What comes in the place of a call, or before it, and whether it stays.
fn meant(
    body: &mut Body,
    meaning: &Meaning,
    call: &Call<'_>,
    texts: &[Option<String>],
    size_type: Type,
) -> (Vec<StatementKind>, bool) {
    let first = call.arguments.first().copied();
    let mut found = Vec::new();
    match meaning {
        Meaning::Input => {
            let name = call.name.to_owned();
            found.extend(call.target.map(|target| StatementKind::Input { target, name }));
        }
        Meaning::Assume => {
            let condition = first.map(|first| body.nonzero(first));
            found.extend(condition.map(|condition| StatementKind::Assume { condition }));
        }
        Meaning::Assert => {
            if let Some(condition) = first.map(|first| body.nonzero(first)) {
                let obligation = Obligation::Assertion;
                found.push(StatementKind::Check(Check::Holds { obligation, condition, note: None }));
                // By its rules the verifiers' own function ends the program. Of other undefined functions it is not
                // known: a program that goes on may do more, so that is what it does.
                if call.name.starts_with("__VERIFIER") {
                    found.push(StatementKind::Assume { condition });
                }
            }
        }
        Meaning::AssertionFailed | Meaning::ReachError => {
            let (obligation, note) = match meaning {
                Meaning::ReachError => (Obligation::ReachError, None),
                _ => (Obligation::Assertion, first.and_then(|first| literal(body, first, texts))),
            };
            let (condition, note) = (body.boolean(false), note.map(Box::from));
            found.push(StatementKind::Check(Check::Holds { obligation, condition, note }));
        }
        Meaning::NonlocalJump => {
            let what = format!("a call of {}", call.name);
            found.push(StatementKind::Unknown { what, target: call.target });
        }
        Meaning::Free => {
            let pointer = first.filter(|&first| body.type_of(first) == Type::Pointer);
            found.extend(pointer.map(|pointer| StatementKind::Check(Check::Freeable { pointer })));
        }
        Meaning::Strings(indices) => {
            for pointer in indices.iter().filter_map(|&index| call.arguments.get(index).copied()) {
                if body.type_of(pointer) == Type::Pointer {
                    let size = body.integer(size_type, 1);
                    found.push(StatementKind::Check(Check::Accessible { pointer, size }));
                    found.push(StatementKind::Check(Check::Terminated { pointer }));
                }
            }
        }
        Meaning::Ends => {}
    }
    let is_replaced =
        matches!(meaning, Meaning::Input | Meaning::Assume | Meaning::Assert | Meaning::NonlocalJump);
    (found, !is_replaced)
}

fn end(block: &mut Block, location: base::Location) {
    block.terminator = Terminator::Unreachable;
    block.location = location;
}

/// The text of the string literal that an expression points to.
fn literal(body: &Body, value: ExprId, texts: &[Option<String>]) -> Option<String> {
    match body.expressions[value].kind {
        ExprKind::Object(ObjectRef::Global(object)) => texts.get(base::Index::index(object))?.clone(),
        _ => None,
    }
}

fn text(initial: &Initial) -> Option<String> {
    let Initial::Bytes { bytes, pointers } = initial else { return None };
    let end = bytes.iter().position(|&byte| byte == 0)?;
    (pointers.is_empty() && end <= 200).then(|| String::from_utf8_lossy(&bytes[..end]).into_owned())
}
