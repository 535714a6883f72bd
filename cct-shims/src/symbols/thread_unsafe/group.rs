//! The groups: what functions that are not thread-safe have in common.

use cct::tsvd::Group;
use cct::tsvd::told::Severity;

macro_rules! groups {
    ($($(#[$doc:meta])* $group:ident = $name:literal, $severity:ident $($number:literal)?;)*) => { $(
        $(#[$doc])*
        pub(crate) static $group: Group = Group {
            name: $name,
            severity: Severity::$severity,
            number: number!($($number)?),
        };
    )* };
}

macro_rules! number {
    () => {
        None
    };
    ($number:literal) => {
        Some($number)
    };
}

groups! {
    /// The environment's table. std has a lock for it, which C does not take.
    ENV = "env", Undefined;
    /// The locale of all threads that have none of their own.
    LOCALE = "locale", Undefined;
    /// A stream of a folder's entries, by its address.
    DIRSTREAM = "dirstream", Undefined 0;

    // Buffers and states, of which there is one each.
    ASCTIME = "asctime", Undefined;
    DRAND48 = "drand48", Undefined;
    ECVT = "ecvt", Undefined;
    FCVT = "fcvt", Undefined;
    FSENT = "fsent", Undefined;
    GETDATE = "getdate", Undefined;
    GETLOGIN = "getlogin", Undefined;
    GETOPT = "getopt", Undefined;
    GETSPENT = "getspent", Undefined;
    GETSPNAM = "getspnam", Undefined;
    GRENT = "grent", Undefined;
    GRGID = "grgid", Undefined;
    GRNAM = "grnam", Undefined;
    HOSTBYADDR = "hostbyaddr", Undefined;
    HOSTBYNAME = "hostbyname", Undefined;
    HOSTBYNAME2 = "hostbyname2", Undefined;
    HOSTENT = "hostent", Undefined;
    HSEARCH = "hsearch", Undefined;
    L64A = "l64a", Undefined;
    LOCALECONV = "localeconv", Undefined;
    MBLEN = "mblen", Undefined;
    MBRLEN = "mbrlen", Undefined;
    MBRTOWC = "mbrtowc", Undefined;
    MBTOWC = "mbtowc", Undefined;
    MNTENTBUF = "mntentbuf", Undefined;
    NETBYADDR = "netbyaddr", Undefined;
    NETBYNAME = "netbyname", Undefined;
    NETENT = "netent", Undefined;
    PROTOBYNAME = "protobyname", Undefined;
    PROTOBYNUMBER = "protobynumber", Undefined;
    PROTOENT = "protoent", Undefined;
    PTSNAME = "ptsname", Undefined;
    PWENT = "pwent", Undefined;
    PWNAM = "pwnam", Undefined;
    PWUID = "pwuid", Undefined;
    SERVBYNAME = "servbyname", Undefined;
    SERVBYPORT = "servbyport", Undefined;
    SERVENT = "servent", Undefined;
    STRTOK = "strtok", Undefined;
    TMBUF = "tmbuf", Undefined;
    TMPNAM = "tmpnam", Undefined;
    TTYNAME = "ttyname", Undefined;
    UTENT = "utent", Undefined;
    WCRTOMB = "wcrtomb", Undefined;
    WCTOMB = "wctomb", Undefined;

    /// A path that is split where it lies, by its address: POSIX lets the functions change it.
    PATH = "path", Contract;

    // State of the process: safe to change, and not by one test while another one relies on it.
    /// A variable of the environment, by a hash of its name.
    VARIABLE = "variable", Logical;
    CURRENT_DIRECTORY = "current directory", Logical;
    /// The action of a signal, by its number.
    SIGNAL_ACTION = "signal action", Logical;
    UMASK = "umask", Logical;
    PANIC_HOOK = "panic hook", Logical;
}

/// True for what the C library keeps to itself, and nobody puts back before the next iteration.
pub(super) fn stays(group: &Group) -> bool {
    let is_own = group.severity == Severity::Undefined && group.number.is_none();
    is_own && !std::ptr::eq(group, &raw const ENV)
}
