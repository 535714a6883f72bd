//! The process that makes something, in the name of what it makes: what one that is gone has left is removed.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::OnceLock;
use std::{fmt, fs, process};

use crate::forgotten::is_forgotten;

/// The namespace of those who cannot see theirs.
const UNKNOWN: u32 = 0;

/// A process. Containers and machines may share a folder, and each counts its processes from 1: they are told
/// apart by their namespaces of processes, and by when their kernel began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Maker {
    namespace: u32,
    process: u32,
}

impl Maker {
    /// This process.
    pub(crate) fn own() -> Maker {
        static NAMESPACE: OnceLock<u32> = OnceLock::new();
        Maker {
            namespace: *NAMESPACE.get_or_init(|| own_namespace().unwrap_or(UNKNOWN)),
            process: process::id(),
        }
    }

    /// The one with which a name ends, and what stands before it.
    pub(crate) fn at_end(name: &str) -> Option<(&str, Maker)> {
        let (rest, process) = name.rsplit_once('-')?;
        let at = rest.len().checked_sub(8)?;
        let (before, namespace) = rest.split_at_checked(at)?;
        let maker = Maker {
            namespace: u32::from_str_radix(namespace, 16).ok()?,
            process: process.parse().ok()?,
        };
        // As it is written.
        let is_one = name.strip_prefix(before) == Some(&*maker.to_string());
        is_one.then_some((before, maker))
    }

    /// True if it does not run any more, as far as can be seen from here: without `/proc`, of nobody.
    fn is_gone(self) -> bool {
        self.namespace != UNKNOWN
            && self.namespace == Maker::own().namespace
            && !Path::new(&format!("/proc/{}", self.process)).exists()
    }

    /// True if what it has made is of no use to it any more. Of one that cannot be seen from here, as on
    /// another machine or before this one was started again, age tells.
    pub(crate) fn has_left(self, what: &Path) -> bool {
        self.is_gone() || (self.is_elsewhere() && is_forgotten(what))
    }

    /// The same when this process begins: one that had its number, in a container that is no more, is gone.
    pub(crate) fn had_left(self, what: &Path) -> bool {
        self.has_left(what) || (self.namespace != UNKNOWN && self == Maker::own())
    }

    fn is_elsewhere(self) -> bool {
        self.namespace == UNKNOWN || self.namespace != Maker::own().namespace
    }

    /// One of this namespace that is gone: the kernel's numbers stop at 2^22.
    #[cfg(test)]
    pub(crate) fn gone() -> Maker {
        Maker {
            process: 9_999_999,
            ..Maker::own()
        }
    }

    /// The first of this namespace, which lives.
    #[cfg(test)]
    pub(crate) fn another() -> Maker {
        Maker {
            process: 1,
            ..Maker::own()
        }
    }

    /// One of another namespace, of which nobody here knows.
    #[cfg(test)]
    pub(crate) fn elsewhere() -> Maker {
        Maker {
            namespace: Maker::own().namespace ^ 1,
            ..Maker::gone()
        }
    }
}

/// A number for this namespace: its inode, which is the same for the first one of every machine, with the
/// random name that the kernel gave itself when it began.
fn own_namespace() -> Option<u32> {
    // `/proc` may be that of another namespace, and tell of others under the numbers of this one.
    let link = fs::read_link("/proc/self").ok()?;
    if link.as_os_str() != &*process::id().to_string() {
        return None;
    }
    let inode = u32::try_from(fs::metadata("/proc/self/ns/pid").ok()?.ino()).ok()?;
    let kernel = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let kernel = u32::from_str_radix(kernel.get(..8)?, 16).ok()?;
    Some(inode ^ kernel)
}

/// Always as long, for processes of up to seven digits.
impl fmt::Display for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}-{:07}", self.namespace, self.process)
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::time::SystemTime;

    use super::*;
    use crate::forgotten::FORGOTTEN;

    #[test]
    fn only_what_is_written_is_read() {
        for maker in [Maker::own(), Maker::gone(), Maker::elsewhere()] {
            for before in ["", "cct-", "a.tmp-", "ä"] {
                let name = format!("{before}{maker}");
                assert_eq!(Maker::at_end(&name), Some((before, maker)));
                assert_eq!(Maker::at_end(&format!("{name}-")), None);
            }
        }
        let others = "- 9999999 20261128 f0000000 f0000000-1 F0000000-9999999 f0000000-09999999 \
            f0000000-99999999999 ää000000-9999999 +0000000-9999999 f0000000-+999999";
        for name in others.split(' ').chain([""]) {
            assert_eq!(Maker::at_end(name), None, "{name}");
        }
    }

    #[test]
    fn nobody_is_taken_for_gone_who_may_be_there() {
        assert!(!Maker::own().is_gone() && !Maker::elsewhere().is_gone());
        let unseen = Maker {
            namespace: UNKNOWN,
            ..Maker::gone()
        };
        assert!(!unseen.is_gone());
        assert!(Maker::gone().is_gone());
        let file = &env::temp_dir().join(format!("cct-maker-{}", process::id()));
        let made = fs::File::create(file).expect("a file");
        let are_left = [Maker::another(), Maker::elsewhere(), unseen].map(|it| it.had_left(file));
        assert_eq!(are_left, [false; 3]);
        assert!(Maker::own().had_left(file) && !Maker::own().has_left(file));
        // As after another start of the machine.
        let time = SystemTime::now() - 2 * FORGOTTEN;
        made.set_modified(time).expect("a time");
        let are_left = [Maker::another(), Maker::elsewhere(), unseen].map(|it| it.has_left(file));
        assert_eq!(are_left, [false, true, true]);
        fs::remove_file(file).expect("it is there");
    }
}
