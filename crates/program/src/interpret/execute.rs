//! The loop that executes operations: everything frequent is done right here, everything else in a method.

use super::code::{Code, Op, Register};
use super::machine::{Execution, Step};
use super::value::Slot;
use crate::expression::BinaryOp;

impl Execution<'_> {
    /// Executes until so many calls are active again.
    pub fn execute(&mut self, floor: usize) -> Step<()> {
        while self.frames.len() > floor {
            self.execute_frame()?;
        }
        Ok(())
    }

    /// Executes the innermost frame until it calls or returns.
    fn execute_frame(&mut self) -> Step<()> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (code, base): (&Code, usize) = (frame.code, frame.base);
        let ops = code.ops.as_slice();
        let end = base + code.frame_size;
        let mut pc = self.pc;
        let mut registers: &mut [Slot] = &mut self.stack[base..end];

        /// The register itself.
        macro_rules! at {
            ($register:expr) => {
                registers[$register as usize]
            };
        }
        /// Computes a small value from the low halves of two registers.
        macro_rules! small {
            ($to:expr, $left:expr, $right:expr, |$a:ident, $b:ident| $value:expr) => {{
                let ($a, $b) = (at!($left).low, at!($right).low);
                at!($to) = Slot::small($value);
            }};
        }
        /// Calls a method that needs the whole state.
        macro_rules! whole {
            ($call:expr) => {{
                self.pc = pc;
                let result = $call?;
                registers = &mut self.stack[base..end];
                result
            }};
        }
        /// Takes steps, and asks the budget now and then.
        macro_rules! spend {
            ($steps:expr) => {
                self.fuel -= i64::from($steps);
                if self.fuel <= 0 {
                    whole!(self.refuel());
                }
            };
        }

        loop {
            match ops[pc] {
                Op::Move { to, from } => at!(to) = at!(from),
                Op::MoveIf { to, condition, from } => {
                    if at!(condition).low != 0 {
                        at!(to) = at!(from);
                    }
                }
                Op::GetGlobal { to, global } => at!(to) = self.globals[global as usize],
                Op::SetGlobal { global, from } => {
                    self.globals[global as usize] = at!(from);
                    self.global_known[global as usize] = true;
                }
                Op::GetUnknownGlobal { to, global } => at!(to) = whole!(self.unknown_global(global as usize)),
                Op::Ensure { variable, flag } => {
                    if at!(flag).low == 0 {
                        whole!(self.ask_unassigned(variable as usize, flag));
                    }
                }
                Op::Mark { flag } => at!(flag).low = 1,

                Op::AddS { shift, to, left, right } => {
                    small!(to, left, right, |a, b| wrap_signed(a.wrapping_add(b), shift));
                }
                Op::AddU { shift, to, left, right } => {
                    small!(to, left, right, |a, b| wrap_unsigned(a.wrapping_add(b), shift));
                }
                Op::SubtractS { shift, to, left, right } => {
                    small!(to, left, right, |a, b| wrap_signed(a.wrapping_sub(b), shift));
                }
                Op::SubtractU { shift, to, left, right } => {
                    small!(to, left, right, |a, b| wrap_unsigned(a.wrapping_sub(b), shift));
                }
                Op::MultiplyS { shift, to, left, right } => {
                    small!(to, left, right, |a, b| wrap_signed(a.wrapping_mul(b), shift));
                }
                Op::MultiplyU { shift, to, left, right } => {
                    small!(to, left, right, |a, b| wrap_unsigned(a.wrapping_mul(b), shift));
                }
                Op::DivideS { shift, to, left, right } => {
                    small!(to, left, right, |a, b| match b {
                        0 => 0,
                        _ => wrap_signed((a as i64).wrapping_div(b as i64) as u64, shift),
                    });
                }
                Op::DivideU { to, left, right } => {
                    small!(to, left, right, |a, b| a.checked_div(b).unwrap_or(0))
                }
                Op::RemainderS { to, left, right } => {
                    small!(to, left, right, |a, b| if b == 0 {
                        0
                    } else {
                        (a as i64).wrapping_rem(b as i64) as u64
                    });
                }
                Op::RemainderU { to, left, right } => {
                    small!(to, left, right, |a, b| a.checked_rem(b).unwrap_or(0))
                }
                Op::ShiftLeftS { shift, to, left, right } => {
                    small!(to, left, right, |a, b| match b < 64 - u64::from(shift) {
                        true => wrap_signed(a << b, shift),
                        false => 0,
                    });
                }
                Op::ShiftLeftU { shift, to, left, right } => {
                    small!(to, left, right, |a, b| match b < 64 - u64::from(shift) {
                        true => wrap_unsigned(a << b, shift),
                        false => 0,
                    });
                }
                Op::ShiftRightS { shift, to, left, right } => {
                    small!(to, left, right, |a, b| match b < 64 - u64::from(shift) {
                        true => ((a as i64) >> b) as u64,
                        false => 0,
                    });
                }
                Op::ShiftRightU { shift, to, left, right } => {
                    small!(to, left, right, |a, b| if b < 64 - u64::from(shift) { a >> b } else { 0 });
                }
                Op::And { to, left, right } => small!(to, left, right, |a, b| a & b),
                Op::Or { to, left, right } => small!(to, left, right, |a, b| a | b),
                Op::Xor { to, left, right } => small!(to, left, right, |a, b| a ^ b),
                Op::Equal { to, left, right } => small!(to, left, right, |a, b| u64::from(a == b)),
                Op::NotEqual { to, left, right } => small!(to, left, right, |a, b| u64::from(a != b)),
                Op::LessS { to, left, right } => {
                    small!(to, left, right, |a, b| u64::from((a as i64) < b as i64))
                }
                Op::LessU { to, left, right } => small!(to, left, right, |a, b| u64::from(a < b)),
                Op::LessEqualS { to, left, right } => {
                    small!(to, left, right, |a, b| u64::from(a as i64 <= b as i64));
                }
                Op::LessEqualU { to, left, right } => small!(to, left, right, |a, b| u64::from(a <= b)),
                Op::OverflowsAdd { shift, to, left, right } => {
                    small!(to, left, right, |a, b| leaves((a as i64).overflowing_add(b as i64), shift));
                }
                Op::OverflowsSubtract { shift, to, left, right } => {
                    small!(to, left, right, |a, b| leaves((a as i64).overflowing_sub(b as i64), shift));
                }
                Op::OverflowsMultiply { shift, to, left, right } => {
                    small!(to, left, right, |a, b| leaves((a as i64).overflowing_mul(b as i64), shift));
                }
                Op::WrapS { shift, to, from } => at!(to) = Slot::small(wrap_signed(at!(from).low, shift)),
                Op::WrapU { shift, to, from } => at!(to) = Slot::small(wrap_unsigned(at!(from).low, shift)),
                Op::Not { to, from } => at!(to) = Slot::truth(at!(from).low == 0),
                Op::IsNotZero { to, from } => at!(to) = Slot::truth(at!(from).low != 0),
                Op::Double { op, to, left, right } => small!(to, left, right, |a, b| double(op, a, b)),
                Op::Offset { to, pointer, by } => at!(to) = at!(pointer).moved(at!(by).offset()),
                Op::PointerEqual { to, left, right } => {
                    let (a, b) = (at!(left), at!(right));
                    let equal = whole!(self.same_pointer(a, b));
                    at!(to) = Slot::truth(equal);
                }
                Op::PointerNotEqual { to, left, right } => {
                    let (a, b) = (at!(left), at!(right));
                    let equal = whole!(self.same_pointer(a, b));
                    at!(to) = Slot::truth(!equal);
                }
                Op::LocalObject { to, local } => {
                    let handle =
                        self.frames.last().map(|frame| frame.locals[local as usize]).unwrap_or_default();
                    at!(to) = Slot::pointer(handle, 0);
                }
                Op::General { to, general } => {
                    let general = &code.general[general as usize];
                    let (left, right) = (at!(general.left), at!(general.right));
                    at!(to) = whole!(self.general(general, left, right));
                }

                Op::LoadS { bytes, kind, to, pointer } => {
                    let pointer = at!(pointer);
                    let bits = match self.memory.read_small_as(pointer, bytes, kind) {
                        Some(bits) => bits,
                        None => whole!(self.load_small(pointer, bytes, kind)),
                    };
                    at!(to) = Slot::small(wrap_signed(bits, 64 - 8 * bytes));
                }
                Op::LoadU { bytes, kind, to, pointer } => {
                    let pointer = at!(pointer);
                    let bits = match self.memory.read_small_as(pointer, bytes, kind) {
                        Some(bits) => bits,
                        None => whole!(self.load_small(pointer, bytes, kind)),
                    };
                    at!(to) = Slot::small(bits);
                }
                Op::LoadGeneral { kind, to, pointer, ty } => {
                    at!(to) = whole!(self.load_as(self.stack[base + pointer as usize], ty, kind))
                }
                Op::Store { bytes, kind, pointer, value } => {
                    let (pointer, value) = (at!(pointer), at!(value).low);
                    if !self.memory.write_small(pointer, bytes, kind, value) {
                        whole!(self.write_fault(pointer, u64::from(bytes)));
                    }
                }
                Op::StoreGeneral { pointer, value, ty } => {
                    let (pointer, value) = (at!(pointer), at!(value));
                    whole!(self.store(pointer, value, ty));
                }

                Op::CheckHolds { expected, condition } => {
                    if (at!(condition).low != 0) != expected {
                        whole!(self.check_failed());
                    }
                }
                Op::CheckReadable { pointer, size } => {
                    let (pointer, size) = (at!(pointer), at!(size).low);
                    if !self.memory.is_readable(pointer, size) {
                        whole!(self.not_readable(pointer, size));
                    }
                }
                Op::CheckAccessible { pointer, size } => {
                    let (pointer, size) = (at!(pointer), at!(size).low);
                    if self.memory.locate(pointer, size).is_err() {
                        whole!(self.not_accessible(pointer, size));
                    }
                }
                Op::CheckWritable { pointer, size } => {
                    let (pointer, size) = (at!(pointer), at!(size).low);
                    if self.memory.locate_to_write(pointer, size).is_err() {
                        whole!(self.not_writable(pointer, size));
                    }
                }

                Op::Steps { count } => {
                    spend!(count);
                }
                Op::Goto { steps, target } => {
                    spend!(steps);
                    pc = target as usize;
                    continue;
                }
                Op::Branch { steps, condition, then, otherwise } => {
                    spend!(steps);
                    pc = if at!(condition).low != 0 { then } else { otherwise } as usize;
                    continue;
                }
                Op::Switch { steps, value, table } => {
                    spend!(steps);
                    let table = &code.switches[table as usize];
                    let number = self.form.number(table.ty, at!(value));
                    let after = table.cases.partition_point(|&(low, _, _)| low <= number);
                    let case = after.checked_sub(1).map(|case| table.cases[case]);
                    pc = case
                        .filter(|&(_, high, _)| number <= high)
                        .map_or(table.default, |(_, _, target)| target) as usize;
                    continue;
                }
                Op::Call { site } => {
                    self.pc = pc;
                    self.fuel -= 1;
                    if self.fuel <= 0 {
                        self.refuel()?;
                    }
                    if self.call(&code.calls[site as usize])? {
                        return Ok(());
                    }
                    registers = &mut self.stack[base..end];
                }
                Op::Return { steps, value } => {
                    spend!(steps);
                    let value = value.map(|value| at!(value));
                    self.pc = pc;
                    return self.leave(value);
                }
                Op::Iteration { mark } => {
                    if !self.passed.get(mark as usize).copied().unwrap_or(false) {
                        self.come_by(mark as usize);
                        registers = &mut self.stack[base..end];
                    }
                }
                Op::Head => whole!(self.visit_head()),
                op => whole!(self.rare(op)),
            }
            pc += 1;
        }
    }

    /// The operations that are not frequent.
    fn rare(&mut self, op: Op) -> Step<()> {
        match op {
            Op::Copy { destination, source, size } => {
                let size = self.register(size).low;
                self.copy(self.register(destination), self.register(source), size)
            }
            Op::Fill { destination, byte, size } => {
                let (byte, size) = (self.register(byte).low as u8, self.register(size).low);
                self.fill_bytes(self.register(destination), byte, size)
            }
            Op::Begin { local, size } => {
                self.begin_local(local as usize, size.map(|size| self.register(size).low))
            }
            Op::Moved { pointer } => {
                self.keep_pointer(self.register(pointer));
                Ok(())
            }
            Op::Forget { local } => self.begin_local(local as usize, None),
            Op::End { local } => {
                self.end_local(local as usize);
                Ok(())
            }
            Op::Allocate { to, size } => {
                let pointer = self.allocate_in_frame(self.register(size).low)?;
                self.set_register(to, pointer);
                Ok(())
            }
            Op::VariadicStart { list } => self.start_list(self.register(list)),
            Op::VariadicNext { to, list, ty } => {
                let value = self.next_argument(self.register(list), ty)?;
                self.set_register(to, value);
                Ok(())
            }
            Op::VariadicCopy { list, source } => self.copy_list(self.register(list), self.register(source)),
            Op::VariadicEnd { list } => self.end_list(self.register(list)),
            Op::Input { to, ty } => self.input(to, ty),
            Op::Unknown { to } => self.unknown_statement(to),
            Op::Assume { condition } => self.assume(self.register(condition).low != 0),
            Op::CheckDefined { variable, flag } => {
                if self.register(flag).low == 0 {
                    self.not_defined(variable as usize)
                } else {
                    Ok(())
                }
            }
            Op::CheckTerminated { pointer } => self.check_terminated(self.register(pointer)),
            Op::Trace { point } => self.trace(point),
            Op::CheckFreeable { pointer } => self.check_freeable(self.register(pointer)),
            Op::Unreachable { steps } => {
                self.fuel -= i64::from(steps);
                self.reached_unreachable()
            }
            _ => Ok(()),
        }
    }

    /// A register of the innermost frame.
    pub fn register(&self, register: Register) -> Slot {
        self.frames.last().map_or(Slot::NULL, |frame| self.stack[frame.base + register as usize])
    }

    /// Sets a register of the innermost frame.
    pub fn set_register(&mut self, register: Register, value: Slot) {
        if let Some(frame) = self.frames.last() {
            self.stack[frame.base + register as usize] = value;
        }
    }
}

#[inline]
fn wrap_signed(value: u64, shift: u8) -> u64 {
    (((value << (shift & 63)) as i64) >> (shift & 63)) as u64
}

#[inline]
fn wrap_unsigned(value: u64, shift: u8) -> u64 {
    (value << (shift & 63)) >> (shift & 63)
}

/// Whether the exact result of an operation leaves its type.
#[inline]
fn leaves((value, overflow): (i64, bool), shift: u8) -> u64 {
    u64::from(overflow || wrap_signed(value as u64, shift) != value as u64)
}

#[inline]
fn double(op: BinaryOp, left: u64, right: u64) -> u64 {
    let (a, b) = (f64::from_bits(left), f64::from_bits(right));
    match op {
        BinaryOp::Add => (a + b).to_bits(),
        BinaryOp::Subtract => (a - b).to_bits(),
        BinaryOp::Multiply => (a * b).to_bits(),
        BinaryOp::Divide => (a / b).to_bits(),
        BinaryOp::Equal => u64::from(a == b),
        BinaryOp::NotEqual => u64::from(a != b),
        BinaryOp::Less => u64::from(a < b),
        BinaryOp::LessEqual => u64::from(a <= b),
        _ => 0,
    }
}
