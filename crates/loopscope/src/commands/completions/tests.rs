//! `loopscope completions`: a script for every shell.

use crate::common::Folder;

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let answer = Folder::new().run(&["completions", shell]);
        assert!(answer.code == Some(0) && answer.output.contains("loopscope"), "{shell}");
    }
}
