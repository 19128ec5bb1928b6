//! A generator of C programs: the same seed gives the same program.
//!
//! Every program is well-defined C11 with GNU extensions on an LP64 machine: it ends soon (well under a million
//! steps), prints what it computes, and returns a code. Two parts make a program: random functions over random globals
//! and structs (this folder), and hand-written functions for what random statements do not reach, with random numbers
//! filled in (`features.c`).

mod declarations;
mod expressions;
mod iteration;
mod places;
mod statements;
mod types;

use crate::random::Random;
use places::{Entity, Shape, Structure};
use types::Scalar;

/// The program of this seed.
pub fn generate(seed: u64) -> String {
    let mut generator = Generator::new(seed);
    generator.program(seed);
    generator.text
}

/// Hand-written functions; `//// title` starts each. `NAME` and `K1` to `K9` are replaced.
const FEATURES: &str = include_str!("features.c");

const PRELUDE: &str = include_str!("prelude.c");

/// What has been written so far and what may be used next.
struct Generator {
    random: Random,
    text: String,
    indent: usize,
    /// Numbers the names that are made.
    counter: usize,
    structures: Vec<Structure>,
    enumerators: Vec<(String, i64)>,
    /// Functions that depend on nothing but their arguments: they can be called anywhere.
    pure_functions: Vec<Function>,
    /// Functions that read and write globals: they are called only where the order is fixed.
    functions: Vec<Function>,
    /// What is in scope: globals first, inner names last.
    scope: Vec<Entity>,
    global_count: usize,
    /// Whether expressions may be evaluated at run time here.
    in_function: bool,
    /// Whether the function being written is a pure one.
    pure: bool,
    can_break: bool,
    can_continue: bool,
    /// How deep indices stand in indices.
    nesting: usize,
    /// How often the loops around the present statement run.
    multiplier: u64,
    /// An estimate of the steps of the function being written, and how many it may have.
    cost: u64,
    limit: u64,
}

/// A function that can be called.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    parameters: Vec<Scalar>,
    result: Scalar,
    cost: u64,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            text: String::new(),
            indent: 0,
            counter: 0,
            structures: Vec::new(),
            enumerators: Vec::new(),
            pure_functions: Vec::new(),
            functions: Vec::new(),
            scope: Vec::new(),
            global_count: 0,
            in_function: false,
            pure: false,
            can_break: false,
            can_continue: false,
            nesting: 0,
            multiplier: 1,
            cost: 0,
            limit: 0,
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A name that nothing else has.
    fn fresh(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    /// Whether the function being written may do work of this cost here; if so, it is counted.
    fn afford(&mut self, cost: u64) -> bool {
        let total = self.cost.saturating_add(cost.saturating_mul(self.multiplier));
        if total > self.limit {
            return false;
        }
        self.cost = total;
        true
    }

    fn program(&mut self, seed: u64) {
        self.line(&format!("// Program {seed}."));
        self.text.push_str(PRELUDE);
        self.enumeration();
        for _ in 0..1 + self.random.below(4) {
            self.structure();
        }
        for _ in 0..4 + self.random.below(8) {
            self.global();
        }
        self.global_count = self.scope.len();
        for _ in 0..self.random.below(4) {
            self.function(true);
        }
        self.features();
        for _ in 0..1 + self.random.below(4) {
            self.function(false);
        }
        self.main_function();
    }

    fn enumeration(&mut self) {
        let mut value = self.random.range(-5, 5);
        let mut items = Vec::new();
        for number in 0..self.random.range(2, 6) {
            let name = format!("E{number}");
            if self.random.chance(30) {
                value += self.random.range(1, 50);
                items.push(format!("{name} = {value}"));
            } else {
                items.push(if number == 0 { format!("{name} = {value}") } else { name.clone() });
            }
            self.enumerators.push((name, value));
            value += 1;
        }
        self.line(&format!("enum numbers {{ {} }};", items.join(", ")));
    }

    /// Some of the hand-written functions.
    fn features(&mut self) {
        let features: Vec<&str> = FEATURES.split("//// ").skip(1).collect();
        for _ in 0..2 + self.random.below(4) {
            let feature = *self.random.pick(&features);
            let name = self.fresh("feature");
            let mut text = feature.replace("NAME", &name);
            for number in 1..=9 {
                text = text.replace(&format!("K{number}"), &self.random.range(1, 12).to_string());
            }
            self.line(&format!("// {}", text.trim_end()));
            let parameters = vec![Scalar::UnsignedInt, Scalar::Int];
            self.functions.push(Function { name, parameters, result: Scalar::UnsignedLongLong, cost: 2500 });
        }
    }

    fn function(&mut self, pure: bool) {
        let name = self.fresh(if pure { "p" } else { "f" });
        let result = if pure { self.any_type() } else { *self.random.pick(&types::INTEGERS) };
        let parameters: Vec<Scalar> = (0..self.random.below(4)).map(|_| self.any_type()).collect();
        let names: Vec<String> = parameters.iter().map(|_| self.fresh("a")).collect();
        let list: Vec<String> =
            parameters.iter().zip(&names).map(|(ty, name)| format!("{} {name}", ty.name())).collect();
        let list = if list.is_empty() { String::from("void") } else { list.join(", ") };
        let prefix = if pure { *self.random.pick(&["static ", "static inline ", ""]) } else { "static " };
        let prefix = if prefix.is_empty() { "static __attribute__((noinline)) " } else { prefix };
        self.line(&format!("{prefix}{} {name}({list}) {{", result.name()));

        let globals = self.scope.clone();
        if pure {
            self.scope.clear();
        }
        for (ty, name) in parameters.iter().zip(&names) {
            let (name, shape) = (name.clone(), Shape::Scalar(*ty));
            self.scope.push(Entity { name, shape, writable: true, addressable: true });
        }
        self.start(pure, if pure { 1_500 } else { 15_000 });
        let count = 2 + self.random.below(5);
        self.body(if pure { 2 } else { 3 }, count, |generator| {
            let value = generator.argument(result, 2);
            generator.line(&format!("return {value};"));
        });
        self.line("}");
        self.scope = globals;
        let function = Function { name, parameters, result, cost: self.cost + 20 };
        if pure {
            self.pure_functions.push(function)
        } else {
            self.functions.push(function)
        }
        self.in_function = false;
    }

    fn start(&mut self, pure: bool, limit: u64) {
        self.pure = pure;
        self.in_function = true;
        self.cost = 0;
        self.limit = limit;
        self.multiplier = 1;
    }

    /// Some statements and an end that sees their declarations.
    fn body(&mut self, depth: usize, count: usize, end: impl FnOnce(&mut Self)) {
        self.indent += 1;
        self.declaration();
        for _ in 0..count {
            self.statement(depth);
        }
        end(self);
        self.indent -= 1;
    }

    fn main_function(&mut self) {
        self.line("int main(void) {");
        self.start(false, 150_000);
        let globals = self.scope.clone();
        let called: Vec<Function> = self.functions.clone();
        let count = 6 + self.random.below(8);
        self.body(4, count, |generator| {
            for function in called {
                if generator.afford(function.cost) {
                    let arguments: Vec<String> =
                        function.parameters.iter().map(|ty| generator.argument(*ty, 1)).collect();
                    let call = format!("{}({})", function.name, arguments.join(", "));
                    generator
                        .line(&format!("printf(\"{} %llu\\n\", (unsigned long long){call});", function.name));
                }
            }
            for entity in &globals {
                generator.show(entity);
            }
            generator.line("printf(\"checksum %llx\\n\", checksum);");
            generator.line("return checksum % 100;");
        });
        self.line("}");
        self.scope = globals;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_program() {
        assert_eq!(generate(5), generate(5));
        assert_ne!(generate(5), generate(6));
    }

    #[test]
    fn every_feature_has_its_function() {
        for feature in FEATURES.split("//// ").skip(1) {
            assert!(feature.contains("unsigned long long NAME(unsigned a, int b) {"), "{feature}");
        }
    }
}
