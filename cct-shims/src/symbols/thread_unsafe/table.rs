//! The table of these functions, by what they are about.

use std::ffi::CStr;

use cct::claim::Exception;
use cct::engine;
use cct::tsvd::{Api, hears};
use libc::{
    DIR, FILE, c_char, c_double, c_int, c_long, c_uint, c_ushort, c_void, gid_t,
    group as group_entry, hostent, lconv, locale_t, netent, nl_item, option, passwd, protoent,
    servent, size_t, socklen_t, spwd, time_t, tm, uid_t, utmpx, wchar_t,
};

use super::function::{functions, object, writes};
use super::{group, tell};
use crate::symbols::real::Real;

// Time: the zone is that of a variable, which is read by the manual whenever one of these is called.
functions! {
    asctime(time: *const tm) -> *mut c_char, "rsi", "x1": writes ASCTIME;
    ctime(time: *const time_t) -> *mut c_char, "rsi", "x1": writes TMBUF, writes ASCTIME, reads ENV;
    ctime_r(time: *const time_t, place: *mut c_char) -> *mut c_char, "rdx", "x2": reads ENV;
    getdate(text: *const c_char) -> *mut tm, "rsi", "x1": writes GETDATE, reads ENV;
    gmtime(time: *const time_t) -> *mut tm, "rsi", "x1": writes TMBUF, reads ENV;
    gmtime_r(time: *const time_t, place: *mut tm) -> *mut tm, "rdx", "x2": reads ENV;
    localtime(time: *const time_t) -> *mut tm, "rsi", "x1": writes TMBUF, reads ENV;
    localtime_r(time: *const time_t, place: *mut tm) -> *mut tm, "rdx", "x2": reads ENV;
    mktime(time: *mut tm) -> time_t, "rsi", "x1": reads ENV;
    strftime(place: *mut c_char, size: size_t, format: *const c_char, time: *const tm) -> size_t, "r8", "x4":
        reads ENV, reads LOCALE at global_locale();
    tzset() -> (), "rdi", "x0": reads ENV;
}

// The environment, but for what `symbols::environment` has.
functions! {
    clearenv() -> c_int, "rdi", "x0": writes ENV;
    putenv(variable: *mut c_char) -> c_int, "rsi", "x1": writes ENV;
    setenv(name: *const c_char, value: *const c_char, replaces: c_int) -> c_int, "rcx", "x3": writes ENV;
    unsetenv(name: *const c_char) -> c_int, "rsi", "x1": writes ENV;

    execv(path: *const c_char, arguments: *const *const c_char) -> c_int, "rdx", "x2": reads ENV;
    execvp(file: *const c_char, arguments: *const *const c_char) -> c_int, "rdx", "x2": reads ENV;
    execvpe(
        file: *const c_char, arguments: *const *const c_char, environment: *const *const c_char
    ) -> c_int, "rcx", "x3": reads ENV;
    getaddrinfo(
        node: *const c_char, service: *const c_char, hints: *const libc::addrinfo,
        place: *mut *mut libc::addrinfo
    ) -> c_int, "r8", "x4": reads ENV;
    get_current_dir_name() -> *mut c_char, "rdi", "x0": reads CURRENT_DIRECTORY, reads ENV;
    tempnam(folder: *const c_char, prefix: *const c_char) -> *mut c_char, "rdx", "x2": reads ENV;
    wordexp(words: *const c_char, place: *mut c_void, flags: c_int) -> c_int, "rcx", "x3": reads ENV;
}

// The locale, with the conversions that have a state of their own unless one is given.
functions! {
    iconv_open(to: *const c_char, from: *const c_char) -> *mut c_void, "rdx", "x2":
        reads LOCALE at global_locale();
    localeconv() -> *mut lconv, "rdi", "x0": writes LOCALECONV, reads LOCALE at global_locale();
    nl_langinfo(item: nl_item) -> *mut c_char, "rsi", "x1": reads LOCALE at global_locale();
    setlocale(category: c_int, locale: *const c_char) -> *mut c_char, "rdx", "x2":
        reads LOCALE at unless_given(locale), writes LOCALE at if_given(locale),
        reads ENV at if_empty(locale);
    strcoll(one: *const c_char, other: *const c_char) -> c_int, "rdx", "x2":
        reads LOCALE at global_locale();
    strtod(text: *const c_char, end: *mut *mut c_char) -> c_double, "rdx", "x2":
        reads LOCALE at global_locale();
    strxfrm(place: *mut c_char, text: *const c_char, size: size_t) -> size_t, "rcx", "x3":
        reads LOCALE at global_locale();

    mblen(text: *const c_char, size: size_t) -> c_int, "rdx", "x2":
        writes MBLEN, reads LOCALE at global_locale();
    mbtowc(place: *mut wchar_t, text: *const c_char, size: size_t) -> c_int, "rcx", "x3":
        writes MBTOWC, reads LOCALE at global_locale();
    wctomb(place: *mut c_char, letter: wchar_t) -> c_int, "rdx", "x2":
        writes WCTOMB, reads LOCALE at global_locale();
    mbrlen(text: *const c_char, size: size_t, state: *mut c_void) -> size_t, "rcx", "x3":
        writes MBRLEN at unless_given(state), reads LOCALE at global_locale();
    mbrtowc(place: *mut wchar_t, text: *const c_char, size: size_t, state: *mut c_void) -> size_t, "r8", "x4":
        writes MBRTOWC at unless_given(state), reads LOCALE at global_locale();
    wcrtomb(place: *mut c_char, letter: wchar_t, state: *mut c_void) -> size_t, "rcx", "x3":
        writes WCRTOMB at unless_given(state), reads LOCALE at global_locale();
}

// Users and groups.
functions! {
    getgrgid(id: gid_t) -> *mut group_entry, "rsi", "x1": writes GRGID;
    getgrnam(name: *const c_char) -> *mut group_entry, "rsi", "x1": writes GRNAM;
    getgrent() -> *mut group_entry, "rdi", "x0": writes GRENT;
    setgrent() -> (), "rdi", "x0": writes GRENT;
    endgrent() -> (), "rdi", "x0": writes GRENT;

    getpwnam(name: *const c_char) -> *mut passwd, "rsi", "x1": writes PWNAM;
    getpwuid(id: uid_t) -> *mut passwd, "rsi", "x1": writes PWUID;
    getpwent() -> *mut passwd, "rdi", "x0": writes PWENT;
    setpwent() -> (), "rdi", "x0": writes PWENT;
    endpwent() -> (), "rdi", "x0": writes PWENT;

    getspnam(name: *const c_char) -> *mut spwd, "rsi", "x1": writes GETSPNAM;
    getspent() -> *mut spwd, "rdi", "x0": writes GETSPENT;
    setspent() -> (), "rdi", "x0": writes GETSPENT;
    endspent() -> (), "rdi", "x0": writes GETSPENT;

    getlogin() -> *mut c_char, "rdi", "x0": writes GETLOGIN, writes UTENT;
    getutxent() -> *mut utmpx, "rdi", "x0": writes UTENT;
    getutxid(like: *const utmpx) -> *mut utmpx, "rsi", "x1": writes UTENT;
    getutxline(like: *const utmpx) -> *mut utmpx, "rsi", "x1": writes UTENT;
    pututxline(entry: *const utmpx) -> *mut utmpx, "rsi", "x1": writes UTENT;
    setutxent() -> (), "rdi", "x0": writes UTENT;
    endutxent() -> (), "rdi", "x0": writes UTENT;
    utmpxname(file: *const c_char) -> c_int, "rsi", "x1": writes UTENT;
    getutent() -> *mut utmpx, "rdi", "x0": writes UTENT;
    getutid(like: *const utmpx) -> *mut utmpx, "rsi", "x1": writes UTENT;
    getutline(like: *const utmpx) -> *mut utmpx, "rsi", "x1": writes UTENT;
    pututline(entry: *const utmpx) -> *mut utmpx, "rsi", "x1": writes UTENT;
    setutent() -> (), "rdi", "x0": writes UTENT;
    endutent() -> (), "rdi", "x0": writes UTENT;
    utmpname(file: *const c_char) -> c_int, "rsi", "x1": writes UTENT;
}

// Hosts, networks, protocols and services.
functions! {
    gethostbyaddr(address: *const c_void, size: socklen_t, family: c_int) -> *mut hostent, "rcx", "x3":
        writes HOSTBYADDR, reads ENV;
    gethostbyname(name: *const c_char) -> *mut hostent, "rsi", "x1": writes HOSTBYNAME, reads ENV;
    gethostbyname2(name: *const c_char, family: c_int) -> *mut hostent, "rdx", "x2":
        writes HOSTBYNAME2, reads ENV;
    gethostent() -> *mut hostent, "rdi", "x0": writes HOSTENT, reads ENV;
    sethostent(stays_open: c_int) -> (), "rsi", "x1": writes HOSTENT, reads ENV;
    endhostent() -> (), "rdi", "x0": writes HOSTENT, reads ENV;

    getnetbyaddr(network: u32, family: c_int) -> *mut netent, "rdx", "x2": writes NETBYADDR;
    getnetbyname(name: *const c_char) -> *mut netent, "rsi", "x1": writes NETBYNAME, reads ENV;
    getnetent() -> *mut netent, "rdi", "x0": writes NETENT, reads ENV;
    setnetent(stays_open: c_int) -> (), "rsi", "x1": writes NETENT, reads ENV;
    endnetent() -> (), "rdi", "x0": writes NETENT, reads ENV;

    getprotobyname(name: *const c_char) -> *mut protoent, "rsi", "x1": writes PROTOBYNAME;
    getprotobynumber(number: c_int) -> *mut protoent, "rsi", "x1": writes PROTOBYNUMBER;
    getprotoent() -> *mut protoent, "rdi", "x0": writes PROTOENT;
    setprotoent(stays_open: c_int) -> (), "rsi", "x1": writes PROTOENT;
    endprotoent() -> (), "rdi", "x0": writes PROTOENT;

    getservbyname(name: *const c_char, protocol: *const c_char) -> *mut servent, "rdx", "x2":
        writes SERVBYNAME;
    getservbyport(port: c_int, protocol: *const c_char) -> *mut servent, "rdx", "x2": writes SERVBYPORT;
    getservent() -> *mut servent, "rdi", "x0": writes SERVENT;
    setservent(stays_open: c_int) -> (), "rsi", "x1": writes SERVENT;
    endservent() -> (), "rdi", "x0": writes SERVENT;
}

// Files: a stream that is closed is given back, whoever reads from it.
functions! {
    readdir(stream: *mut DIR) -> *mut c_void, "rsi", "x1": writes DIRSTREAM at one(stream);
    readdir64(stream: *mut DIR) -> *mut c_void, "rsi", "x1": writes DIRSTREAM at one(stream);
    closedir(stream: *mut DIR) -> c_int, "rsi", "x1": writes DIRSTREAM at closed(stream);

    __xpg_basename(path: *mut c_char) -> *mut c_char, "rsi", "x1": writes PATH at one(path);
    dirname(path: *mut c_char) -> *mut c_char, "rsi", "x1": writes PATH at one(path);
    getfsent() -> *mut c_void, "rdi", "x0": writes FSENT;
    getfsfile(file: *const c_char) -> *mut c_void, "rsi", "x1": writes FSENT;
    getfsspec(device: *const c_char) -> *mut c_void, "rsi", "x1": writes FSENT;
    setfsent() -> c_int, "rdi", "x0": writes FSENT;
    endfsent() -> (), "rdi", "x0": writes FSENT;
    getmntent(file: *mut FILE) -> *mut c_void, "rsi", "x1": writes MNTENTBUF;
    ptsname(descriptor: c_int) -> *mut c_char, "rsi", "x1": writes PTSNAME;
    tmpnam(place: *mut c_char) -> *mut c_char, "rsi", "x1": writes TMPNAM at unless_given(place);
    ttyname(descriptor: c_int) -> *mut c_char, "rsi", "x1": writes TTYNAME;
}

// Text, numbers, tables.
functions! {
    ecvt(number: c_double, digits: c_int, point: *mut c_int, sign: *mut c_int) -> *mut c_char, "rcx", "x3":
        writes ECVT;
    fcvt(number: c_double, digits: c_int, point: *mut c_int, sign: *mut c_int) -> *mut c_char, "rcx", "x3":
        writes FCVT;
    l64a(number: c_long) -> *mut c_char, "rsi", "x1": writes L64A;
    strtok(text: *mut c_char, separators: *const c_char) -> *mut c_char, "rdx", "x2": writes STRTOK;

    getopt(count: c_int, arguments: *const *mut c_char, letters: *const c_char) -> c_int, "rcx", "x3":
        writes GETOPT, reads ENV;
    getopt_long(
        count: c_int, arguments: *const *mut c_char, letters: *const c_char, words: *const option,
        which: *mut c_int
    ) -> c_int, "r9", "x5": writes GETOPT, reads ENV;
    getopt_long_only(
        count: c_int, arguments: *const *mut c_char, letters: *const c_char, words: *const option,
        which: *mut c_int
    ) -> c_int, "r9", "x5": writes GETOPT, reads ENV;

    drand48() -> c_double, "rdi", "x0": writes DRAND48;
    lrand48() -> c_long, "rdi", "x0": writes DRAND48;
    mrand48() -> c_long, "rdi", "x0": writes DRAND48;
    erand48(state: *mut c_ushort) -> c_double, "rsi", "x1": reads DRAND48;
    nrand48(state: *mut c_ushort) -> c_long, "rsi", "x1": reads DRAND48;
    jrand48(state: *mut c_ushort) -> c_long, "rsi", "x1": reads DRAND48;
    srand48(seed: c_long) -> (), "rsi", "x1": writes DRAND48;
    seed48(seed: *mut c_ushort) -> *mut c_ushort, "rsi", "x1": writes DRAND48;
    lcong48(parameters: *mut c_ushort) -> (), "rsi", "x1": writes DRAND48;

    hcreate(size: size_t) -> c_int, "rsi", "x1": writes HSEARCH;
    // An entry is passed as two words.
    hsearch(key: *mut c_char, data: *mut c_void, action: c_uint) -> *mut c_void, "rcx", "x3":
        writes HSEARCH;
    hdestroy() -> (), "rdi", "x0": writes HSEARCH;
}

/// The object at this address.
fn one<T>(object: *mut T) -> Option<u64> {
    (!object.is_null()).then_some(object.addr() as u64)
}

/// The object at this address, which is given back. Under control nothing is told of it: entries of std keep
/// the stream by an `Arc` of which nothing is seen.
fn closed(stream: *mut DIR) -> Option<u64> {
    engine::note_reuse(stream.addr(), 1);
    one(stream).filter(|_| !engine::is_controlled())
}

/// The one object, if this argument is given.
fn if_given<T>(argument: *const T) -> Option<u64> {
    (!argument.is_null()).then_some(0)
}

/// The one object, if the text is empty.
fn if_empty(text: *const c_char) -> Option<u64> {
    // SAFETY: the caller's text ends with a zero, or is null.
    (!text.is_null() && unsafe { *text } == 0).then_some(0)
}

/// The one object, unless this argument is given, which is then used in its place.
fn unless_given<T>(argument: *const T) -> Option<u64> {
    argument.is_null().then_some(0)
}

/// The locale of all threads, unless the calling one has its own.
fn global_locale() -> Option<u64> {
    const GLOBAL: locale_t = std::ptr::without_provenance_mut(usize::MAX);
    // SAFETY: asks which one it is.
    let current = unsafe { libc::uselocale(std::ptr::null_mut()) };
    (current == GLOBAL).then_some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" {
        #[link_name = "ecvt"]
        fn digits(
            number: c_double,
            digits: c_int,
            point: *mut c_int,
            sign: *mut c_int,
        ) -> *const c_char;
        #[link_name = "hcreate"]
        fn make_table(size: size_t) -> c_int;
        #[link_name = "hsearch"]
        fn search(entry: Entry, action: c_uint) -> *const Entry;
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Entry {
        key: *const c_char,
        data: usize,
    }

    #[test]
    fn the_symbols_are_ours() {
        // SAFETY: the name ends with a zero.
        let real = unsafe { libc::dlsym(libc::RTLD_NEXT, c"localtime_r".as_ptr()) };
        let linked = libc::localtime_r as *const c_void;
        assert!(!real.is_null() && !std::ptr::eq(real, linked));
    }

    #[test]
    fn arguments_and_results_go_through() {
        // SAFETY: the places are ours, the texts end with zeros, and no other test calls these.
        unsafe {
            let mut time = std::mem::zeroed();
            assert_eq!(libc::gmtime_r(&86_400, &raw mut time), &raw mut time);
            assert_eq!((time.tm_mday, time.tm_year), (2, 70));
            assert!((libc::strtod(c"2.5".as_ptr(), std::ptr::null_mut()) - 2.5).abs() < 1e-9);

            let (mut point, mut sign) = (7, 7);
            let text = digits(-12.5, 3, &raw mut point, &raw mut sign);
            assert_eq!((CStr::from_ptr(text), point, sign), (c"125", 2, 1));

            assert_eq!(make_table(10), 1);
            let entry = Entry {
                key: c"key".as_ptr(),
                data: 77,
            };
            let (find, enter) = (0, 1);
            assert_eq!((*search(entry, enter)).data, 77);
            assert_eq!((*search(Entry { data: 0, ..entry }, find)).data, 77);

            let mut arguments =
                [c"program", c"--long", c"rest"].map(|word| word.as_ptr().cast_mut());
            let mut words: [option; 2] = std::mem::zeroed();
            words[0].name = c"long".as_ptr();
            words[0].val = 5;
            let mut which = 9;
            let (count, letters) = (3, c"x".as_ptr());
            let found = libc::getopt_long(
                count,
                arguments.as_mut_ptr(),
                letters,
                words.as_ptr(),
                &raw mut which,
            );
            assert_eq!((found, which), (5, 0));
        }
    }

    #[test]
    fn an_object_may_depend_on_the_arguments() {
        let (nothing, empty, text) = (std::ptr::null(), c"".as_ptr(), c"C".as_ptr());
        assert_eq!(
            [nothing, empty, text].map(if_given),
            [None, Some(0), Some(0)]
        );
        assert_eq!(
            [nothing, empty, text].map(unless_given),
            [Some(0), None, None]
        );
        assert_eq!([nothing, empty, text].map(if_empty), [None, Some(0), None]);
        assert_ne!(one(empty.cast_mut()), one(text.cast_mut()));
        assert_eq!(global_locale(), Some(0));
    }
}
