//! A tool's process and everything that came of it.
//!
//! Only processes that cannot be mistaken are signalled: the group of a leader that was not reaped yet, and the
//! guard's own children, whose numbers stay theirs until the guard reaps them. On Linux every descendant becomes
//! such a child in the end, because orphans are handed to the guard: also one that left the group.

use super::message::Exit;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};
use std::io;
use std::process::Child;

/// The tool's first process, its group, and on Linux all their descendants.
#[derive(Clone, Copy)]
pub struct Family {
    leader: Pid,
}

/// Makes the guard the parent of every descendant that loses its own parent, where the system can.
pub fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

impl Family {
    /// The family of `leader`, which leads its group and is reaped only by [`Family::bury`].
    pub fn of(leader: &Child) -> Self {
        Self {
            leader: Pid::from_child(leader),
        }
    }

    /// The number of the group.
    pub fn group(self) -> i32 {
        self.leader.as_raw_nonzero().get()
    }

    /// Blocks until the leader ended, and leaves it unreaped.
    pub fn wait_for_leader(self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(Errno::INTR) = waitid(WaitId::Pid(self.leader), options) {}
    }

    /// How the leader ended, if it did; it stays unreaped.
    pub fn leader_exit(self) -> Option<Exit> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status: WaitIdStatus = waitid(WaitId::Pid(self.leader), options).ok()??;
        let code = status.exit_status().map(Exit::Code);
        code.or_else(|| status.terminating_signal().map(Exit::Signal))
    }

    /// Whether anybody but an ended leader is left. Reaps whoever else ended.
    pub fn is_alive(self) -> bool {
        self.leader_exit().is_none() || self.others_are_alive()
    }

    /// Asks the group to end, and strays that are not in `asked` yet. Whoever is stopped is continued, so that it
    /// can.
    pub fn ask_to_end(self, asked: &mut Vec<Pid>) {
        self.signal_group(Signal::TERM);
        self.signal_group(Signal::CONT);
        self.ask_strays_to_end(asked);
    }

    /// Kills everybody.
    pub fn kill(self) {
        self.signal_group(Signal::KILL);
        self.kill_strays();
    }

    /// Reaps the leader, and kills whoever came to light only now.
    pub fn bury(self, mut leader: Child) {
        self.kill();
        if self.leader_exit().is_some() {
            // It ended, so this does not wait, and no error is left to happen.
            let _ = leader.wait();
            self.kill_remaining_children();
        }
    }

    fn signal_group(self, signal: Signal) {
        // Fails where nobody is left, or nobody who may be signalled.
        let _ = kill_process_group(self.leader, signal);
    }
}

#[cfg(not(target_os = "linux"))]
impl Family {
    fn others_are_alive(self) -> bool {
        // An ended leader does not count here: these systems do not signal a process that has ended.
        rustix::process::test_kill_process_group(self.leader).is_ok()
    }

    /// There is no way to know them.
    pub fn ask_strays_to_end(self, _asked: &mut Vec<Pid>) {}

    fn kill_strays(self) {}

    fn kill_remaining_children(self) {}
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Errno, Family, Pid, Signal, WaitId, WaitIdOptions, waitid};
    use rustix::process::{getpgid, kill_process};
    use std::time::Duration;
    use std::{fs, thread};

    /// How often, a millisecond apart, children are killed that only an exact count shows.
    const LAST_ROUNDS: usize = 500;

    impl Family {
        pub(super) fn others_are_alive(self) -> bool {
            let mut children = children().into_iter();
            children.any(|child| child != self.leader && !reaped(child))
        }

        /// Asks strays to end that are not in `asked` yet: children outside the group.
        pub fn ask_strays_to_end(self, asked: &mut Vec<Pid>) {
            for child in children() {
                if !asked.contains(&child) && getpgid(Some(child)) != Ok(self.leader) {
                    let _ = kill_process(child, Signal::TERM);
                    let _ = kill_process(child, Signal::CONT);
                    asked.push(child);
                }
            }
        }

        pub(super) fn kill_strays(self) {
            for child in children() {
                // Fails for one that ended, and for one of another user.
                let _ = kill_process(child, Signal::KILL);
            }
        }

        /// The list of children can miss one while another ends; whether there is any the kernel tells exactly,
        /// once the leader is out of the way.
        pub(super) fn kill_remaining_children(self) {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            for _ in 0..LAST_ROUNDS {
                match waitid(WaitId::All, options) {
                    Ok(Some(_)) | Err(Errno::INTR) => {}
                    Ok(None) => {
                        self.kill_strays();
                        thread::sleep(Duration::from_millis(1));
                    }
                    Err(_) => return,
                }
            }
        }
    }

    /// Reaps `child` if it ended.
    fn reaped(child: Pid) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(child), options), Ok(None))
    }

    /// The guard's children: all, if none comes or goes meanwhile.
    fn children() -> Vec<Pid> {
        let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
        let lists: Option<Vec<String>> = threads
            .map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok())
            .collect();
        match lists {
            Some(lists) if !lists.is_empty() => lists
                .iter()
                .flat_map(|list| list.split_ascii_whitespace())
                .filter_map(|number| Pid::from_raw(number.parse().ok()?))
                .collect(),
            // A thread ended meanwhile, or the kernel was built without these lists.
            _ => children_by_parent(),
        }
    }

    /// The same from the table of all processes.
    fn children_by_parent() -> Vec<Pid> {
        let guard = std::process::id().to_string();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter_map(|process| {
                let number = process.file_name().to_str()?.parse().ok()?;
                let status = fs::read_to_string(process.path().join("stat")).ok()?;
                // `number (name) state parent …`, where the name may hold anything.
                let (_, after_name) = status.rsplit_once(')')?;
                let parent = after_name.split_ascii_whitespace().nth(1)?;
                (parent == guard).then(|| Pid::from_raw(number))?
            })
            .collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::process::{Command, Stdio};

        #[test]
        fn both_ways_to_list_children_see_a_child() {
            let mut child = Command::new("cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let pid = Pid::from_child(&child);
            assert!(children().contains(&pid));
            assert!(children_by_parent().contains(&pid));
            drop(child.stdin.take());
            child.wait().unwrap();
        }
    }
}
