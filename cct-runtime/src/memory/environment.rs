//! Puts the environment back before each iteration, which must not see what the one before has set.

use libc::c_char;

unsafe extern "C" {
    /// The C library's array of variables, ended by null.
    static mut environ: *mut *mut c_char;
}

/// The environment as it was before the first iteration.
///
/// The array of pointers is all there is to keep: `setenv` replaces strings and never writes into them.
#[derive(Debug)]
pub(crate) struct Environment {
    array: *mut *mut c_char,
    variables: Vec<*mut c_char>,
}

impl Environment {
    /// Keeps the environment as it is now.
    pub(crate) fn now() -> Environment {
        // SAFETY: `environ` is null or an array that ends with null; nobody changes it meanwhile.
        unsafe {
            let array = environ;
            let mut variables = Vec::new();
            while !array.is_null() && !(*array.add(variables.len())).is_null() {
                variables.push(*array.add(variables.len()));
            }
            Environment { array, variables }
        }
    }

    /// Puts the environment back.
    pub(crate) fn restore(&self) {
        // SAFETY: the array has room for what it held, and for the null that ended it.
        unsafe {
            environ = self.array;
            if !self.array.is_null() {
                let count = self.variables.len();
                self.array
                    .copy_from_nonoverlapping(self.variables.as_ptr(), count);
                self.array.add(count).write(std::ptr::null_mut());
            }
        }
    }
}
