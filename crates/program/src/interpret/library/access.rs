//! How models examine memory: ranges and strings, with violations that name the function and the argument.

use super::Call;
use crate::interpret::machine::Step;
use crate::interpret::memory::Fault;
use crate::interpret::value::Slot;
use crate::statement::Obligation;

impl Call<'_, '_> {
    /// An access of an argument that cannot be done.
    fn fault<T>(&mut self, argument: usize, fault: Fault, verb: &str, pointer: Slot, size: u64) -> Step<T> {
        let (obligation, message) = self.execution.describe_fault(fault, verb, pointer, size)?;
        self.execution.fail_hard(obligation, format!("argument {} of {}: {message}", argument + 1, self.name))
    }

    /// The model cannot give this call a meaning.
    pub fn undefined<T>(&mut self, obligation: Obligation, message: &str) -> Step<T> {
        self.execution.fail_hard(obligation, format!("{}: {message}", self.name))
    }

    /// Bytes through an argument; those that were never written are reported, and inputs if the run goes on.
    pub fn read(&mut self, argument: usize, pointer: Slot, size: u64) -> Step<Vec<u8>> {
        if size == 0 {
            return Ok(Vec::new());
        }
        self.execution.fuel -= (size / 16) as i64;
        match self.execution.memory.locate(pointer, size) {
            Ok((index, offset)) => {
                let size = size as usize;
                self.require_written(argument, index, offset, size)?;
                Ok(self.execution.memory.objects[index].bytes[offset..offset + size].to_vec())
            }
            Err(fault) => self.fault(argument, fault, "read", pointer, size),
        }
    }

    fn require_written(&mut self, argument: usize, index: usize, offset: usize, size: usize) -> Step<()> {
        let object = &self.execution.memory.objects[index];
        if object.is_written(offset, size) {
            return Ok(());
        }
        if !object.unknown {
            let first = (offset..offset + size).find(|&place| object.written.get(place) == Some(&0));
            let name = self.execution.object_name(object.kind);
            let message = format!(
                "argument {} of {}: read of byte {} of {name}, which was never written",
                argument + 1,
                self.name,
                first.unwrap_or(offset)
            );
            self.execution.fail(Obligation::Uninitialised, message)?;
        }
        self.execution.fill_unwritten(index, offset, size);
        Ok(())
    }

    /// Writes bytes through an argument.
    pub fn write(&mut self, argument: usize, pointer: Slot, bytes: &[u8]) -> Step<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.execution.fuel -= (bytes.len() / 16) as i64;
        match self.execution.memory.locate_to_write(pointer, bytes.len() as u64) {
            Ok((index, offset)) => {
                self.execution.memory.objects[index].write(offset, bytes);
                Ok(())
            }
            Err(fault) => self.fault(argument, fault, "write", pointer, bytes.len() as u64),
        }
    }

    /// Makes sure that bytes can be written before anything is done.
    pub fn require_writable(&mut self, argument: usize, pointer: Slot, size: u64) -> Step<()> {
        match self.execution.memory.locate_to_write(pointer, size) {
            Err(fault) if size > 0 => self.fault(argument, fault, "write", pointer, size),
            _ => Ok(()),
        }
    }

    /// Makes sure that bytes can be read, written before or not.
    pub fn require_readable(&mut self, argument: usize, pointer: Slot, size: u64) -> Step<()> {
        match self.execution.memory.locate(pointer, size) {
            Err(fault) if size > 0 => self.fault(argument, fault, "read", pointer, size),
            _ => Ok(()),
        }
    }

    /// How many bytes stand before the terminator, at most the limit.
    pub fn length(&mut self, argument: usize, pointer: Slot, limit: u64) -> Step<u64> {
        if limit == 0 {
            return Ok(0);
        }
        let (index, offset) = match self.execution.memory.locate(pointer, 1) {
            Ok(place) => place,
            Err(fault) => return self.fault(argument, fault, "read", pointer, 1),
        };
        let mut length = 0;
        while length < limit {
            let object = &self.execution.memory.objects[index];
            let place = offset + length as usize;
            if place == object.bytes.len() {
                return self.not_terminated(argument, index, offset);
            }
            if object.written.get(place) == Some(&0) {
                self.require_written(argument, index, place, 1)?;
            }
            if self.execution.memory.objects[index].bytes[place] == 0 {
                break;
            }
            length += 1;
        }
        self.execution.fuel -= (length / 8) as i64;
        Ok(length)
    }

    #[cold]
    fn not_terminated<T>(&mut self, argument: usize, index: usize, offset: usize) -> Step<T> {
        let object = &self.execution.memory.objects[index];
        let name = self.execution.object_name(object.kind);
        let message = format!(
            "argument {} of {}: no terminator follows index {offset} in {name} ({} bytes)",
            argument + 1,
            self.name,
            object.size
        );
        self.execution.fail_termination(message.clone())?;
        self.execution.unsupported(format!("undefined behaviour: {message}"))
    }

    /// The bytes up to the terminator, or the first ones if the limit comes before it.
    pub fn bytes_until(&mut self, argument: usize, pointer: Slot, limit: u64) -> Step<Vec<u8>> {
        let length = self.length(argument, pointer, limit)?;
        self.read(argument, pointer, length)
    }

    /// The string that an argument points to, without its terminator.
    pub fn string(&mut self, argument: usize) -> Step<Vec<u8>> {
        let pointer = self.pointer(argument);
        self.string_at(argument, pointer)
    }

    /// The string at a pointer that came with an argument.
    pub fn string_at(&mut self, argument: usize, pointer: Slot) -> Step<Vec<u8>> {
        self.bytes_until(argument, pointer, u64::MAX)
    }

    /// Whether two ranges share a byte.
    pub fn overlap(&self, left: Slot, left_size: u64, right: Slot, right_size: u64) -> bool {
        left.high == right.high
            && left.offset() < right.offset().saturating_add_unsigned(right_size)
            && right.offset() < left.offset().saturating_add_unsigned(left_size)
    }
}
