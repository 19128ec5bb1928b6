//! The end of a program, and the heap objects that nothing points to by then.
//!
//! An object is still tracked if a pointer to any byte of it (or to its end) stands in a global variable, a static
//! object, a variable or object of a call that is still active (when the program ends by `exit`), or in another tracked
//! heap object. Bytes are examined wherever they stand, aligned or not, so that no pointer is missed.

use super::api::Outcome;
use super::machine::{Execution, Step};
use super::memory::Kind;
use super::value::Slot;
use crate::statement::Obligation;

impl Execution<'_> {
    /// The program ends in an orderly way: the functions registered with `atexit` are called, then leaks are found.
    pub fn end_program(&mut self, status: i32) -> Step<Outcome> {
        while let Some(handler) = self.library.at_exit.pop() {
            self.call_back(handler, &[])?;
        }
        if self.machine.options.checks.contains(Obligation::Leak)
            && let Some(lost) = self.lost_object()
        {
            let object = &self.memory.objects[lost];
            let message = format!("{} ({} bytes) is lost", self.plain_name(object.kind), object.size);
            self.fail(Obligation::Leak, message)?;
        }
        Ok(Outcome::Exit(status & 0xff))
    }

    /// A live heap object that nothing points to.
    fn lost_object(&self) -> Option<usize> {
        let is_heap = |index: usize| {
            let object = &self.memory.objects[index];
            object.is_alive() && matches!(object.kind, Kind::Heap(_))
        };
        let mut tracked = vec![false; self.memory.objects.len()];
        let mut work = Vec::new();
        for (index, object) in self.memory.objects.iter().enumerate() {
            if object.is_alive() && !is_heap(index) {
                tracked[index] = true;
                work.push(index);
            }
        }
        let mut reach = |pointer: Slot, work: &mut Vec<usize>| {
            let index = pointer.handle().index();
            if index != 0 && !std::mem::replace(&mut tracked[index], true) {
                work.push(index);
            }
        };
        for &slot in self.globals.iter().chain(&self.stack) {
            // A slot does not say whether it holds a pointer or an address as a number: both keep their object.
            if self.memory.objects.len() > slot.handle().index()
                && self.memory.object(slot.handle()).is_some()
            {
                reach(slot, &mut work);
            }
            reach(self.memory.resolve(slot.low), &mut work);
        }
        let width = self.program.data_model.pointer_bytes() as usize;
        while let Some(index) = work.pop() {
            for window in self.memory.objects[index].bytes.windows(width) {
                let mut address = [0; 8];
                address[..width].copy_from_slice(window);
                let address = u64::from_le_bytes(address);
                if address != 0 {
                    reach(self.memory.resolve(address), &mut work);
                }
            }
        }
        (0..self.memory.objects.len()).find(|&index| is_heap(index) && !tracked[index])
    }
}
