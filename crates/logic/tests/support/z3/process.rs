//! A Z3 process that is fed commands and read in step.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use base::Stop;

/// How often the budget is examined while Z3 works.
const PATIENCE: Duration = Duration::from_millis(10);

/// The line that ends an answer.
const END: &str = "~end~";

/// A running Z3. It is killed when this is dropped.
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

/// Why there is no answer.
pub(super) enum Failure {
    /// The budget ended. Z3 may still be at work: the process is of no more use.
    Stopped(Stop),
    /// The process has ended, or cannot be spoken to.
    Broken(String),
}

impl Process {
    /// Starts Z3.
    pub(super) fn start() -> Result<Self, String> {
        let path = super::path();
        let mut child = Command::new(&path)
            .args(["-in", "-smt2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", path.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the pipes to Z3 are missing".to_owned());
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut answer = String::new();
            loop {
                let start = answer.len();
                match output.read_line(&mut answer) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
                if answer[start..].trim_end() == END {
                    answer.truncate(start);
                    if send.send(std::mem::take(&mut answer)).is_err() {
                        return;
                    }
                }
            }
        });
        Ok(Self { child, input, answers })
    }

    /// Sends commands and waits for all that they print, as long as the caller agrees to wait.
    pub(super) fn ask(
        &mut self,
        commands: &str,
        mut wait: impl FnMut() -> Result<(), Stop>,
    ) -> Result<String, Failure> {
        let message = format!("{commands}(echo \"{END}\")\n");
        let sent = self.input.write_all(message.as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|error| Failure::Broken(format!("cannot write to Z3: {error}")))?;
        loop {
            match self.answers.recv_timeout(PATIENCE) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => wait().map_err(Failure::Stopped)?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Broken("the Z3 process has ended".to_owned()));
                }
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
