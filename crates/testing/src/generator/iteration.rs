//! Loops of all kinds. Each has a counter that nothing else changes, so that every program ends soon.

use super::Generator;
use super::places::{Entity, Shape};
use super::types::Scalar;

/// No statement is inside loops that run more often than this together.
const MOST_ITERATIONS: u64 = 600;

impl Generator {
    /// A loop with its body.
    pub(super) fn loop_statement(&mut self, depth: usize) {
        let most = (MOST_ITERATIONS / self.multiplier).min(12) as i64;
        if most < 2 || !self.afford(100) {
            return self.statement(0);
        }
        let times = self.random.range(1, most);
        match self.random.below(12) {
            0..=3 => self.ascending_for(depth, times),
            4 => self.descending_for(depth, times),
            5 => self.counted_while(depth, times),
            6 => self.do_loop(depth, times),
            7 => self.jumping_loop(depth, times),
            8 => self.guarded_while(depth, times),
            9 => self.loop_entered_in_the_middle(depth, times),
            10 => self.infinite_for(depth, times),
            _ => self.two_counters(depth, times),
        }
    }

    /// The statements of a loop body, in braces that are already open; the counter stays in the range.
    fn loop_body(&mut self, depth: usize, times: i64, counter: Option<(&str, Scalar, i64, i64)>) {
        let names = self.scope.len();
        let before = (self.can_break, self.can_continue, self.multiplier);
        (self.can_break, self.can_continue) = (true, true);
        self.multiplier *= times as u64;
        if let Some((name, ty, low, high)) = counter {
            self.scope.push(counter_entity(name, ty, low, high));
        }
        let count = 1 + self.random.below(4);
        self.block(depth, count);
        self.scope.truncate(names);
        (self.can_break, self.can_continue, self.multiplier) = before;
    }

    fn counter_type(&mut self) -> Scalar {
        use Scalar::*;
        *self.random.pick(&[
            Int,
            Int,
            Int,
            UnsignedInt,
            SignedChar,
            UnsignedChar,
            Short,
            Long,
            UnsignedLong,
            LongLong,
        ])
    }

    fn ascending_for(&mut self, depth: usize, times: i64) {
        let name = self.fresh("i");
        let ty = self.counter_type();
        let step = self.random.range(1, 3);
        let first = if ty.is_signed() && self.random.chance(30) { self.random.range(-9, 0) } else { 0 };
        let last = first + (times - 1) * step;
        let (test, limit) = match self.random.below(3) {
            0 => ("<=", last),
            1 if step == 1 => ("!=", last + 1),
            _ => ("<", last + 1),
        };
        let update = match step {
            1 => self.random.pick(&["++", " += 1", "++"]).to_string(),
            _ => format!(" += {step}"),
        };
        self.line(&format!("for ({} {name} = {first}; {name} {test} {limit}; {name}{update}) {{", ty.name()));
        self.loop_body(depth, times, Some((&name, ty, first, last)));
        self.line("}");
    }

    fn descending_for(&mut self, depth: usize, times: i64) {
        let name = self.fresh("i");
        let ty = self.counter_type();
        if self.random.chance(50) {
            self.line(&format!("for ({} {name} = {times}; {name}-- > 0;) {{", ty.name()));
            self.loop_body(depth, times, Some((&name, ty, 0, times - 1)));
        } else {
            self.line(&format!("for ({} {name} = {times}; {name} > 0; {name}--) {{", ty.name()));
            self.loop_body(depth, times, Some((&name, ty, 1, times)));
        }
        self.line("}");
    }

    fn counted_while(&mut self, depth: usize, times: i64) {
        let name = self.fresh("i");
        let ty = self.counter_type();
        self.line(&format!("{} {name} = 0;", ty.name()));
        if self.random.chance(50) {
            self.line(&format!("while ({name}++ < {times}) {{"));
        } else {
            self.line(&format!("while ({name} < {times}) {{"));
            self.line(&format!("    {name} = {name} + 1;"));
        }
        self.loop_body(depth, times, Some((&name, ty, 1, times)));
        self.line("}");
    }

    fn do_loop(&mut self, depth: usize, times: i64) {
        let name = self.fresh("i");
        let ty = self.counter_type();
        self.line(&format!("{} {name} = 0;", ty.name()));
        self.line("do {");
        self.loop_body(depth, times, Some((&name, ty, 0, times - 1)));
        self.line(&format!("}} while (++{name} < {times});"));
    }

    fn jumping_loop(&mut self, depth: usize, times: i64) {
        let (name, label) = (self.fresh("i"), self.fresh("again"));
        self.line(&format!("int {name} = 0;"));
        self.line(&format!("{label}: {{"));
        let before = (self.can_break, self.can_continue);
        self.body_of_jumps(depth, times, &name);
        (self.can_break, self.can_continue) = before;
        self.line("}");
        self.line(&format!("if (++{name} < {times}) goto {label};"));
    }

    /// Like [`Self::loop_body`], but a `break` would leave the loop around it, which is as good.
    fn body_of_jumps(&mut self, depth: usize, times: i64, counter: &str) {
        let names = self.scope.len();
        self.multiplier *= times as u64;
        self.scope.push(counter_entity(counter, Scalar::Int, 0, times - 1));
        let count = 1 + self.random.below(3);
        self.block(depth, count);
        self.scope.truncate(names);
        self.multiplier /= times as u64;
    }

    fn guarded_while(&mut self, depth: usize, times: i64) {
        let fuel = self.fresh("fuel");
        self.line(&format!("unsigned char {fuel} = {times};"));
        let condition = self.condition(2);
        self.line(&format!("while ({fuel}-- > 0 && ({condition})) {{"));
        self.loop_body(depth, times, None);
        self.line("}");
    }

    /// A jump into the body of a loop: the flow graph is irreducible.
    fn loop_entered_in_the_middle(&mut self, depth: usize, times: i64) {
        let (name, label) = (self.fresh("i"), self.fresh("inside"));
        let first = self.random.range(0, times - 1);
        self.line(&format!("int {name} = {first};"));
        let condition = self.condition(1);
        self.line(&format!("if ({condition}) goto {label};"));
        self.line(&format!("for ({name} = 0; {name} < {times}; {name}++) {{"));
        self.line("    {");
        self.loop_body(depth, times, Some((&name, Scalar::Int, 0, times - 1)));
        self.line("    }");
        self.line(&format!("    {label}: ;"));
        self.line("    {");
        self.loop_body(depth, times, Some((&name, Scalar::Int, 0, times - 1)));
        self.line("    }");
        self.line("}");
    }

    fn infinite_for(&mut self, depth: usize, times: i64) {
        let name = self.fresh("i");
        self.line(&format!("long {name} = 0;"));
        self.line(self.pick_infinite());
        self.line(&format!("    if ({name}++ >= {times}) break;"));
        self.loop_body(depth, times, Some((&name, Scalar::Long, 1, times)));
        self.line("}");
    }

    fn pick_infinite(&self) -> &'static str {
        if self.counter.is_multiple_of(2) { "for (;;) {" } else { "while (1) {" }
    }

    fn two_counters(&mut self, depth: usize, times: i64) {
        let (up, down) = (self.fresh("i"), self.fresh("j"));
        self.line(&format!("for (int {up} = 0, {down} = {times}; {up} < {down}; {up}++, {down}--) {{"));
        self.loop_body(depth, times, Some((&up, Scalar::Int, 0, times - 1)));
        self.line("}");
    }
}

fn counter_entity(name: &str, ty: Scalar, low: i64, high: i64) -> Entity {
    let shape = Shape::Counter(ty, low as i128, high as i128);
    Entity { name: name.to_string(), shape, writable: false, addressable: false }
}
