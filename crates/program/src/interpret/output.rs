//! Where the output of a run goes.

/// One of the two standard streams that a program writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// Takes what a program writes, in the order in which it writes it.
pub trait Output {
    /// Takes some bytes.
    fn write(&mut self, stream: Stream, bytes: &[u8]);
}

/// Keeps all output in memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectedOutput {
    /// What went to standard output.
    pub output: Vec<u8>,
    /// What went to standard error.
    pub error: Vec<u8>,
}

impl Output for CollectedOutput {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Output => self.output.extend_from_slice(bytes),
            Stream::Error => self.error.extend_from_slice(bytes),
        }
    }
}

/// Forgets all output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiscardedOutput;

impl Output for DiscardedOutput {
    fn write(&mut self, _stream: Stream, _bytes: &[u8]) {}
}
