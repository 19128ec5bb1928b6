//! Statements: assignments of all kinds, branches, switches, jumps and output.

use super::Generator;
use super::expressions::{Value, exact};
use super::places::{Place, Shape};
use super::types::Scalar;

impl Generator {
    /// Some statements in a scope of their own, without the braces.
    pub(super) fn block(&mut self, depth: usize, count: usize) {
        let names = self.scope.len();
        self.indent += 1;
        for _ in 0..count {
            self.statement(depth);
        }
        self.indent -= 1;
        self.scope.truncate(names);
    }

    /// Some statements in braces.
    pub(super) fn braced(&mut self, depth: usize, count: usize) {
        self.line("{");
        self.block(depth, count);
        self.line("}");
    }

    /// One statement, or a declaration.
    pub(super) fn statement(&mut self, depth: usize) {
        self.cost += 12 * self.multiplier;
        match self.random.below(if depth == 0 { 60 } else { 100 }) {
            0..=17 => self.assignment(),
            18..=27 => self.compound_assignment(),
            28..=33 => self.increment(),
            34..=41 => self.declaration(),
            42..=44 => self.pointer_assignment(),
            45..=47 => self.struct_assignment(),
            48..=52 => self.call(),
            53..=56 => self.output(),
            57..=59 => self.escape(),
            60..=73 => self.conditional_statement(depth - 1),
            74..=90 => self.loop_statement(depth - 1),
            91..=95 => self.switch(depth - 1),
            96..=97 => self.forward_jump(depth - 1),
            _ => {
                let count = 1 + self.random.below(3);
                self.braced(depth - 1, count);
            }
        }
    }

    fn assignment(&mut self) {
        let Some(place) = self.place(true) else { return };
        let depth = 1 + self.random.below(3);
        let value = self.argument(place.ty, depth);
        match self.random.below(6) {
            0 => {
                if let Some(second) = self.place(true)
                    && second.ty.is_float() == place.ty.is_float()
                {
                    let text = format!("{} = {} = {value};", second.text, place.text);
                    // One object must not be written twice, nor may an index depend on the assignment.
                    if !second.text.contains('[') && second.text != place.text {
                        return self.line(&text);
                    }
                }
                self.line(&format!("{} = {value};", place.text));
            }
            1 => {
                let condition = self.condition(1);
                self.line(&format!(
                    "{condition} ? ({} = {value}) : ({} = {});",
                    place.text, place.text, place.text
                ));
            }
            _ => self.line(&format!("{} = {value};", place.text)),
        }
    }

    fn compound_assignment(&mut self) {
        let Some(place) = self.place(true) else { return };
        let target = &place.text;
        if place.ty.is_float() {
            let operator = *self.random.pick(&["+=", "-=", "*=", "/="]);
            let value = if self.random.chance(60) { self.float(1).text } else { self.integer(1).text };
            return self.line(&format!("{target} {operator} {value};"));
        }
        if place.bits.is_some() && place.ty.bits() > 32 {
            let value = self.integer(2).text;
            return self.line(&format!("{target} = {value};"));
        }
        let text = match self.random.below(9) {
            0..=3 => self.exact_update(&place),
            4 => format!("{target} {} ({} & 63) + 1;", self.random.pick(&["/=", "%="]), self.integer(1).text),
            5 => format!("{target} >>= {} & 7;", self.integer(1).text),
            6 if place.low >= 0 => {
                format!("{target} <<= {} & {};", self.integer(1).text, left_shift_mask(&place))
            }
            7 if place.ty != Scalar::Bool => {
                format!("{target} {};", self.random.pick(&["/= 2.5", "*= 0.5", "/= 3.0f"]))
            }
            _ => format!("{target} {} {};", self.random.pick(&["&=", "|=", "^="]), self.integer(2).text),
        };
        self.line(&text);
    }

    /// `+=`, `-=` or `*=` if that cannot overflow, `^=` otherwise.
    fn exact_update(&mut self, place: &Place) -> String {
        let operator = *self.random.pick(&["+", "-", "*"]);
        let value = self.integer(2);
        let small =
            Value { text: format!("({} & 15)", value.text), ty: value.ty.promoted(), low: 0, high: 15 };
        for operand in [&value, &small] {
            if exact(operator, &place.value(), operand).is_some() {
                return format!("{} {operator}= {};", place.text, operand.text);
            }
        }
        if self.random.chance(50) {
            let target = &place.text;
            return format!(
                "if ({target} < 100000 && {target} > -100000) {target} {operator}= {};",
                small.text
            );
        }
        format!("{} ^= {};", place.text, value.text)
    }

    fn increment(&mut self) {
        let Some(place) = self.place(true) else { return };
        let target = &place.text;
        let step = *self.random.pick(&["++", "--"]);
        let text = if self.random.chance(50) { format!("{step}{target}") } else { format!("{target}{step}") };
        let safe =
            place.ty.is_float() || !place.ty.is_signed() || place.ty.bits() < 32 || place.bits.is_some();
        if place.bits.is_some_and(|bits| bits >= 32) {
            return self.line(&format!("{target} = 1;"));
        }
        if safe {
            if let Some(other) = self.place(true)
                && self.random.chance(30)
                && other.text != *target
                && !other.ty.is_float()
                && !place.ty.is_float()
                && !other.text.contains(['[', '*', '>'])
                && !target.contains(['[', '*', '>'])
            {
                return self.line(&format!("{} = {text};", other.text));
            }
            return self.line(&format!("{text};"));
        }
        self.line(&format!("if ({target} < 1000000 && {target} > -1000000) {text};"));
    }

    fn pointer_assignment(&mut self) {
        for position in (0..self.scope.len()).rev() {
            let entity = self.scope[position].clone();
            if !entity.writable || self.random.chance(40) {
                continue;
            }
            let value = match entity.shape {
                Shape::Pointer(ty) => self.address_of(ty, position),
                Shape::StructPointer(structure) => {
                    let found = self.structs_of(structure, position, true);
                    if found.is_empty() { None } else { Some(format!("&{}", self.random.pick(&found))) }
                }
                _ => None,
            };
            if let Some(value) = value {
                return self.line(&format!("{} = {value};", entity.name));
            }
        }
        self.assignment();
    }

    fn struct_assignment(&mut self) {
        if self.structures.is_empty() {
            return self.assignment();
        }
        let structure = self.random.below(self.structures.len());
        let found = self.structs_of(structure, self.scope.len(), false);
        if found.is_empty() {
            return self.assignment();
        }
        let target = self.random.pick(&found).clone();
        let source = self.random.pick(&found).clone();
        let name = self.structures[structure].name.clone();
        let text = match self.random.below(5) {
            0 => format!("{target} = {source};"),
            1 => format!("{target} = (struct {name}){};", self.initialiser(structure)),
            2 if self.afford(200) => {
                format!("{target} = make_{name}({}, {});", self.integer(1).text, self.integer(1).text)
            }
            3 if self.afford(200) => format!("{target} = change_{name}({source}, {});", self.integer(1).text),
            _ if target == source => format!("{target} = {source};"),
            _ => format!("memmove(&{target}, &{source}, sizeof(struct {name}));"),
        };
        self.line(&text);
    }

    fn call(&mut self) {
        if self.pure || self.functions.is_empty() {
            return self.assignment();
        }
        let function = self.random.pick(&self.functions).clone();
        if !self.afford(function.cost) {
            return self.assignment();
        }
        let arguments: Vec<String> = function.parameters.iter().map(|ty| self.argument(*ty, 1)).collect();
        let call = format!("{}({})", function.name, arguments.join(", "));
        match self.random.below(4) {
            0 => self.line(&format!("{call};")),
            1 => self.line(&format!("mix((unsigned long long){call});")),
            2 => self.line(&format!("if ({call}) mix({});", self.counter)),
            _ => match self.place(true) {
                // The index of an element and the call are not sequenced.
                Some(place) if !place.text.contains(['[', '*', '>']) => {
                    self.line(&format!("{} = {call};", place.text))
                }
                _ => self.line(&format!("(void){call};")),
            },
        }
    }

    fn output(&mut self) {
        if self.pure {
            return self.assignment();
        }
        let value = if self.random.chance(20) { self.float(2) } else { self.integer(2) };
        if value.ty.is_float() {
            return self.line(&format!("mix_double({});", value.text));
        }
        if self.multiplier <= 8 && self.random.chance(40) {
            let label = self.counter;
            return self.line(&format!("printf(\"t{label} {}\\n\", {});", value.ty.format(), value.text));
        }
        self.line(&format!("mix((unsigned long long){});", value.text));
    }

    /// Leaves a loop or a switch, or starts the next iteration, under a condition.
    fn escape(&mut self) {
        let words: Vec<&str> = [(self.can_break, "break"), (self.can_continue, "continue")]
            .into_iter()
            .filter_map(|(can, word)| can.then_some(word))
            .collect();
        if words.is_empty() {
            return self.assignment();
        }
        let condition = self.condition(2);
        let word = *self.random.pick(&words);
        self.line(&format!("if ({condition}) {word};"));
    }

    /// A condition, which may have side effects between its sequence points.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        let first = self.integer(depth).text;
        if self.random.chance(75) {
            return first;
        }
        let Some(place) = self.place(true) else { return first };
        if place.ty.is_float() {
            return first;
        }
        let value = self.integer(1).text;
        let last = self.integer(1).text;
        match self.random.below(4) {
            0 => format!("({first}) && ({} = {value}, {last})", place.text),
            1 => format!("({first}) || ({} = {value}) != 0", place.text),
            2 => format!("({} = {value}, ({first}) && {last})", place.text),
            _ => format!("(({first}) ? ({} ^= 1, {last}) : {value})", place.text),
        }
    }

    fn conditional_statement(&mut self, depth: usize) {
        let condition = self.condition(2);
        let count = 1 + self.random.below(3);
        self.line(&format!("if ({condition}) {{"));
        self.block(depth, count);
        while self.random.chance(25) {
            let condition = self.condition(1);
            self.line(&format!("}} else if ({condition}) {{"));
            self.block(depth, 1);
        }
        if self.random.chance(50) {
            self.line("} else {");
            self.block(depth, count);
        }
        self.line("}");
    }

    fn switch(&mut self, depth: usize) {
        let value = self.integer(2);
        let selector = match self.random.below(3) {
            0 => format!("{} & 15", value.text),
            1 => format!("{} % 13", value.text),
            _ => value.text,
        };
        self.line(&format!("switch ({selector}) {{"));
        let before = self.can_break;
        self.can_break = true;
        let cases = 1 + self.random.below(5);
        let default = self.random.below(cases * 2);
        let mut next = self.random.range(-3, 2);
        for case in 0..cases {
            if case == default {
                self.line("default:");
            }
            // A range of negative numbers is an empty one if the selector is unsigned: warned about, and not portable.
            let last = next + if next >= 0 && self.random.chance(25) { self.random.range(1, 5) } else { 0 };
            if last > next {
                self.line(&format!("case {next} ... {last}:"));
            } else {
                self.line(&format!("case {next}:"));
            }
            next = last + self.random.range(1, 3);
            if self.random.chance(85) {
                let count = 1 + self.random.below(2);
                self.braced(depth, count);
            }
            if self.random.chance(60) {
                self.line("break;");
            }
        }
        self.line("    ;");
        self.line("}");
        self.can_break = before;
    }

    fn forward_jump(&mut self, depth: usize) {
        let label = self.fresh("skip");
        let condition = self.condition(1);
        self.line(&format!("if ({condition}) goto {label};"));
        let count = 1 + self.random.below(3);
        self.braced(depth, count);
        self.line(&format!("{label}: ;"));
    }
}

/// The largest mask for a shift count under which a value of the place stays in its promoted type.
fn left_shift_mask(place: &Place) -> u32 {
    let ty = place.value().ty.promoted();
    let used = 128 - place.high.leading_zeros();
    let most = ty.bits().saturating_sub(if ty.is_signed() { used + 1 } else { 1 });
    [31, 15, 7, 3, 1].into_iter().find(|mask| *mask <= most).unwrap_or(0)
}
