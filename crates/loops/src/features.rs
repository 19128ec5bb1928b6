//! What can be said of a loop by examining its statements: what it changes and calls.
//!
//! Everything is collected over all blocks of the loop, those of inner loops included, in time proportional to them.
//! What a called function changes is not followed: the calls are listed, and whoever asks decides what they mean.

use std::collections::BTreeSet;

use program::{Body, Callee, Origin, Program, StatementKind, VariableId};

use crate::forest::{LoopForest, LoopId};

/// What a call in a loop calls.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CallTarget {
    /// A function by its name.
    Function(String),
    /// Whatever a pointer points to.
    ThroughPointer,
}

impl std::fmt::Display for CallTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CallTarget::Function(name) => f.write_str(name),
            CallTarget::ThroughPointer => f.write_str("(through a pointer)"),
        }
    }
}

/// What a loop does, as far as its statements show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LoopFeatures {
    /// The variables that statements of the loop assign, local and global, temporaries included.
    pub changed: BTreeSet<VariableId>,
    /// What the loop calls.
    pub calls: BTreeSet<CallTarget>,
    /// What happens in it that Loopscope does not understand.
    pub unknowns: BTreeSet<String>,
    /// How many edges lead out of it.
    pub exits: usize,
}

impl LoopFeatures {
    /// Examines a loop.
    pub fn of(program: &Program, body: &Body, forest: &LoopForest, id: LoopId) -> Self {
        let mut features = Self::default();
        for &block in forest.blocks(id) {
            for statement in &body.blocks[block].statements {
                features.statement(program, &statement.kind);
            }
        }
        features.exits = forest.exit_edges(id).len();
        features
    }

    /// The changed variables that the source names.
    pub fn changed_in_source<'a>(&'a self, body: &'a Body) -> impl Iterator<Item = VariableId> + 'a {
        let is_temporary = |variable: VariableId| {
            !variable.is_global() && body.variables[variable].origin == Origin::Temporary
        };
        self.changed.iter().copied().filter(move |&variable| !is_temporary(variable))
    }

    fn statement(&mut self, program: &Program, kind: &StatementKind) {
        self.changed.extend(kind.target());
        match kind {
            StatementKind::Call { callee, .. } => {
                self.calls.insert(match callee {
                    Callee::Function(function) => {
                        CallTarget::Function(program.functions[*function].name.clone())
                    }
                    Callee::Pointer(_) => CallTarget::ThroughPointer,
                });
            }
            StatementKind::Unknown { what, .. } => {
                self.unknowns.insert(what.clone());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::{body, parse};

    #[test]
    fn a_loop_with_everything() {
        let program = parse(
            r#"
            data_model LP64
            variable $g: i32 = 0:i32
            external puts(ptr)
            function f(%n: i32, %p: ptr) {
              variable %i: i32
              temporary %t: i32
            b0:
              %i := 0:i32
              goto b1
            b1: loop while
              if %i < %n goto b2 else b4
            b2:
              %t := load %p
              $g := %t
              store %p := %i
              call puts(%p)
              call *%p()
              %i := input nondet_int
              unknown "inline assembler"
              if $g == 0:i32 goto b1 else b3
            b3:
              return
            b4:
              return
            }
            "#,
        );
        let body = body(&program, "f");
        let forest = LoopForest::of(body);
        let (id, _) = forest.iter().next().unwrap();
        let features = LoopFeatures::of(&program, body, &forest, id);
        let name = |variable: VariableId| program.variable(body, variable).name.clone();
        let changed: Vec<String> = features.changed_in_source(body).map(name).collect();
        assert_eq!(changed, ["i", "g"]);
        assert_eq!(features.changed.len(), 3);
        let calls: Vec<String> = features.calls.iter().map(|call| call.to_string()).collect();
        assert_eq!(calls, ["puts", "(through a pointer)"]);
        assert_eq!(features.exits, 2);
        assert!(features.unknowns.contains("inline assembler"));
    }
}
