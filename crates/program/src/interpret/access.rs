//! Statements that read and write memory, and the lives of local objects.

use super::library::ERROR_NUMBER;
use super::machine::{Execution, Step};
use super::memory::{AS_ANYTHING, Fault, Kind, written_as};
use super::value::{Handle, Slot};
use crate::arithmetic;
use crate::statement::Obligation;
use crate::types::Type;

impl Execution<'_> {
    /// Reads 1, 2, 4 or 8 bytes that may not have been written yet.
    #[cold]
    pub fn load_small(&mut self, pointer: Slot, size: u8, kind: u8) -> Step<u64> {
        self.prepare_read(pointer, u64::from(size), kind)?;
        match self.memory.read_small(pointer, size) {
            Some(bits) => Ok(bits),
            None => self.unsupported("a read of bytes that are not there"),
        }
    }

    /// Reads a value of any type, whatever it was written as.
    pub fn load(&mut self, pointer: Slot, ty: Type) -> Step<Slot> {
        self.load_as(pointer, ty, AS_ANYTHING)
    }

    /// Reads a value of any type that was written as a kind of value.
    pub fn load_as(&mut self, pointer: Slot, ty: Type, kind: u8) -> Step<Slot> {
        let size = ty.bytes(self.program.data_model);
        let (index, offset) = self.prepare_read(pointer, size, kind)?;
        let mut buffer = [0; 16];
        let bytes = &self.memory.objects[index].bytes[offset..offset + size as usize];
        buffer[..bytes.len()].copy_from_slice(bytes);
        let bits = u128::from_le_bytes(buffer);
        Ok(match ty {
            Type::Bool => Slot::truth(bits != 0),
            Type::Integer(integer) => self.form.write(integer, arithmetic::wrap(integer, bits as i128)),
            Type::Float(format) => Slot::wide(bits & u128::MAX >> (128 - format.bits())),
            Type::Pointer => self.memory.resolve(bits as u64),
        })
    }

    /// Writes a value of any type.
    pub fn store(&mut self, pointer: Slot, value: Slot, ty: Type) -> Step<()> {
        let size = ty.bytes(self.program.data_model) as usize;
        let bits = match ty {
            Type::Bool => u128::from(value.low != 0),
            Type::Integer(integer) => {
                let number = self.form.read(integer, value);
                if self.form.mathematical && !arithmetic::is_normal(integer, number) {
                    return self.unsupported(format!("{number} does not fit the {integer} in memory"));
                }
                number as u128
            }
            Type::Float(_) => value.bits(),
            Type::Pointer => u128::from(self.memory.address(value)),
        };
        match self.memory.locate_to_write(pointer, size as u64) {
            Ok((index, offset)) => {
                let bytes = &bits.to_le_bytes()[..size];
                self.memory.objects[index].write_as(offset, bytes, written_as(ty));
                Ok(())
            }
            Err(_) => self.write_fault(pointer, size as u64),
        }
    }

    /// Copies bytes, and with each byte whether it was written.
    pub fn copy(&mut self, destination: Slot, source: Slot, size: u64) -> Step<()> {
        if size == 0 {
            return Ok(());
        }
        self.fuel -= (size / 16).min(1 << 40) as i64;
        let (from, from_offset) = match self.memory.locate(source, size) {
            Ok(place) => place,
            Err(fault) => return self.access_fault(fault, "read", source, size),
        };
        let (to, to_offset) = match self.memory.locate_to_write(destination, size) {
            Ok(place) => place,
            Err(fault) => return self.access_fault(fault, "write", destination, size),
        };
        let size = size as usize;
        if self.memory.objects[from].unknown {
            self.fill_unwritten(from, from_offset, size);
        }
        if from == to {
            let object = &mut self.memory.objects[to];
            object.bytes.copy_within(from_offset..from_offset + size, to_offset);
            if !object.written.is_empty() {
                object.written.copy_within(from_offset..from_offset + size, to_offset);
            }
            return Ok(());
        }
        let Ok([source, target]) = self.memory.objects.get_disjoint_mut([from, to]) else { return Ok(()) };
        target.bytes[to_offset..to_offset + size]
            .copy_from_slice(&source.bytes[from_offset..from_offset + size]);
        if source.written.is_empty() {
            target.set_written(to_offset, size, AS_ANYTHING);
        } else {
            if target.written.is_empty() {
                target.written = vec![AS_ANYTHING; target.bytes.len()];
            }
            target.written[to_offset..to_offset + size]
                .copy_from_slice(&source.written[from_offset..from_offset + size]);
        }
        Ok(())
    }

    /// Sets bytes to one value.
    pub fn fill_bytes(&mut self, destination: Slot, byte: u8, size: u64) -> Step<()> {
        if size == 0 {
            return Ok(());
        }
        self.fuel -= (size / 16).min(1 << 40) as i64;
        let (index, offset) = match self.memory.locate_to_write(destination, size) {
            Ok(place) => place,
            Err(fault) => return self.access_fault(fault, "write", destination, size),
        };
        let object = &mut self.memory.objects[index];
        object.bytes[offset..offset + size as usize].fill(byte);
        object.set_written(offset, size as usize, AS_ANYTHING);
        Ok(())
    }

    /// Finds bytes to read; those that were never written become inputs. ISO C does not say what bytes mean that were
    /// written as another kind of value.
    pub fn prepare_read(&mut self, pointer: Slot, size: u64, kind: u8) -> Step<(usize, usize)> {
        match self.memory.locate(pointer, size) {
            Ok((index, offset)) => {
                if !self.memory.objects[index].is_written(offset, size as usize) {
                    self.fill_unwritten(index, offset, size as usize);
                }
                if !self.memory.objects[index].is_written_as(offset, size as usize, kind) {
                    self.guess(|| String::from("a value is read as one of another type"));
                }
                Ok((index, offset))
            }
            Err(fault) => self.access_fault(fault, "read", pointer, size),
        }
    }

    /// Asks for uninitialised bytes.
    #[cold]
    pub fn fill_unwritten(&mut self, index: usize, offset: usize, size: usize) {
        let object = &self.memory.objects[index];
        if object.kind == Kind::Provided(ERROR_NUMBER) {
            self.guess(|| String::from("errno after a function that may have set it"));
        }
        let object = &self.memory.objects[index];
        let state = if object.unknown { "initial" } else { "uninitialised" };
        let name = format!("{state} {}", self.plain_name(object.kind));
        for place in offset..offset + size {
            if self.memory.objects[index].written.get(place) == Some(&0) {
                let value = self.ask(&name, Type::unsigned(8)).low as u8;
                self.memory.objects[index].write(place, &[value]);
            }
        }
    }

    /// An access that cannot be done.
    #[cold]
    pub fn access_fault<T>(&mut self, fault: Fault, verb: &str, pointer: Slot, size: u64) -> Step<T> {
        let (obligation, message) = self.describe_fault(fault, verb, pointer, size)?;
        self.fail_hard(obligation, message)
    }

    #[cold]
    pub fn write_fault(&mut self, pointer: Slot, size: u64) -> Step<()> {
        match self.memory.locate_to_write(pointer, size) {
            Ok(_) => Ok(()),
            Err(fault) => self.access_fault(fault, "write", pointer, size),
        }
    }

    /// A check that bytes can be read has failed.
    #[cold]
    pub fn not_readable(&mut self, pointer: Slot, size: u64) -> Step<()> {
        match self.memory.locate(pointer, size) {
            Ok((index, offset)) => {
                let object = &self.memory.objects[index];
                let first = (0..size as usize).find(|place| object.written.get(offset + place) == Some(&0));
                let place = offset + first.unwrap_or(0);
                let name = self.object_name(object.kind);
                let message = format!("read of byte {place} of {name}, which was never written");
                self.fail(Obligation::Uninitialised, message)
            }
            Err(fault) => {
                let (obligation, message) = self.describe_fault(fault, "read", pointer, size)?;
                self.fail(obligation, message)
            }
        }
    }

    /// A check that bytes are there has failed.
    #[cold]
    pub fn not_accessible(&mut self, pointer: Slot, size: u64) -> Step<()> {
        match self.memory.locate(pointer, size) {
            Err(fault) if size > 0 => {
                let (obligation, message) = self.describe_fault(fault, "access", pointer, size)?;
                self.fail(obligation, message)
            }
            _ => Ok(()),
        }
    }

    /// A check that bytes can be written has failed.
    #[cold]
    pub fn not_writable(&mut self, pointer: Slot, size: u64) -> Step<()> {
        match self.memory.locate_to_write(pointer, size) {
            Err(fault) if size > 0 => {
                let (obligation, message) = self.describe_fault(fault, "write", pointer, size)?;
                self.fail(obligation, message)
            }
            _ => Ok(()),
        }
    }

    /// The life of a local object starts.
    pub fn begin_local(&mut self, local: usize, size: Option<u64>) -> Step<()> {
        // An array of variable length has elements.
        if size == Some(0) && self.stray.is_none() {
            self.stray = Some(self.location());
        }
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let mut handle = frame.locals[local];
        if let Some(size) = size {
            // An object of another size cannot take the place of the one before it.
            if self.memory.object(handle).is_none_or(|object| object.size != size) {
                let id = base::Index::new(local);
                let function = frame.code.function;
                let alignment =
                    self.program.functions[function].body().map_or(1, |body| body.locals[id].alignment);
                if !handle.is_none() {
                    self.memory.release(handle);
                }
                let reserved = self.memory.reserve(Kind::Local(function, id), size, alignment);
                handle = self.room(reserved)?;
                if let Some(frame) = self.frames.last_mut() {
                    frame.locals[local] = handle;
                }
            }
        }
        let begun = self.memory.begin(handle);
        self.room(begun)
    }

    /// Takes note of a pointer that is kept though it is neither in its object nor just behind it.
    pub fn keep_pointer(&mut self, pointer: Slot) {
        let is_inside = self
            .memory
            .object(pointer.handle())
            .is_none_or(|object| u64::try_from(pointer.offset()).is_ok_and(|offset| offset <= object.size));
        if !is_inside && self.stray.is_none() {
            self.stray = Some(self.location());
        }
    }

    /// The life of a local object ends.
    pub fn end_local(&mut self, local: usize) {
        if let Some(handle) =
            self.frames.last().map(|frame| frame.locals[local]).filter(|handle| !handle.is_none())
        {
            self.memory.end(handle);
        }
    }

    /// A new object that ends with the function.
    pub fn allocate_in_frame(&mut self, size: u64) -> Step<Slot> {
        let created = self.memory.create(Kind::Alloca(self.location()), size, 16);
        let handle: Handle = self.room(created)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.allocated.push(handle);
        }
        Ok(Slot::pointer(handle, 0))
    }
}
