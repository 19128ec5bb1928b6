//! A function that is entered only where a condition holds.

use evidence::names::variable_names;
use evidence::{Formula, Moment};
use program::{FunctionId, Program};

use crate::clauses::{Numbers, Scope};
use crate::pieces::assume;

/// The program in which a function begins with the assumption of a condition on the values at entry ([`Moment::Start`]) of
/// integer parameters and of integer variables outside functions. Nothing if the condition speaks of something else, or the
/// function has no body.
///
/// **Theorem.** The runs that start in the function are those of the old program whose variables fulfil the condition at
/// entry, step by step the same. No edge leads to the entry block, so that the condition is asked once per call.
///
/// **Lost:** all other calls. What is proved of the function says nothing of them.
pub fn assuming(program: &Program, function: FunctionId, condition: &Formula) -> Option<Program> {
    let mut program = program.clone();
    let body = program.functions[function].body()?;
    let mut numbers = Numbers::default();
    for (name, variable) in variable_names(&program, body) {
        if variable.is_global() || body.parameters.contains(&variable) {
            numbers.add(Moment::Start, name, variable, program.variable(body, variable).ty);
        }
    }
    let body = program.functions[function].body_mut()?;
    let condition = Scope { numbers: &numbers, bits: false, body }.formula(condition)?;
    let entry = body.entry();
    let assumption = assume(condition, body.blocks[entry].location);
    body.blocks[entry].statements.insert(0, assumption);
    Some(program)
}

#[cfg(test)]
mod tests {
    use program::StatementKind;

    use super::*;

    fn assumed(condition: &str) -> Option<String> {
        let text = "data_model LP64
            variable $limit: u8 = 0:u8
            function f(%n: i32, %d: i64, %p: ptr) { variable %k: i32 b0: %k := 1:i32 goto b1 b1: return }";
        let program = parser::parse(text).map_err(|error| error.to_string()).expect("it parses");
        let function = program.function_named("f").expect("it is there");
        let changed = assuming(&program, function, &condition.parse().expect("a formula"))?;
        let body = changed.functions[function].body()?;
        let entry = &body.blocks[body.entry()];
        assert!(matches!(entry.statements[0].kind, StatementKind::Assume { .. }));
        assert_eq!(entry.statements.len(), 2);
        let text = program::text::print(&changed);
        let line = text.lines().find(|line| line.trim_start().starts_with("assume"))?;
        Some(line.trim().to_owned())
    }

    #[test]
    fn conditions_speak_of_values_at_entry() {
        assert!(assumed("start(n) >= 0").is_some_and(|line| line.contains("0:i32 <= %n")));
        assert!(assumed("start(n) < start(d)").is_some());
        assert!(assumed("start(n) * start(d) > 0").is_some_and(|line| line.contains("i99(%n) * i99(%d)")));
        assert!(assumed("start(limit) != 255 && !(start(d) + 2 * start(n) > 7)").is_some());
    }

    #[test]
    fn what_it_does_not_understand_it_refuses() {
        let products = "start(n) * start(d) * start(n) > 0";
        for refused in ["n >= 0", "start(k) >= 0", "start(p) > 0", products, "start(m) == 1"] {
            assert_eq!(assumed(refused), None, "{refused}");
        }
        assert_eq!(assumed("99999999999 * start(n) > start(d)"), None);
    }
}
