//! The memory of a process, put back so that each iteration starts as in a fresh one.
//!
//! - `arena` is the heap of an iteration, given back whole at its end;
//! - `address_space` is what the regions of all these are reserved in, and `limit` the most memory of a test;
//! - `mappings` has what the program maps itself at equal addresses, and unmaps it;
//! - `own` is the engine's heap, in programs with an allocator written in Rust, and where each iteration is
//!   made by a copy of the process: `kept` are other facts that outlive such a copy;
//! - `statics` copies the program's statics and thread-locals back before each iteration: `elf` finds
//!   them in the executable, and `mangling` tells whose they are;
//! - `libraries` tells whether statics of shared libraries have changed, which are not put back;
//! - `c_locals` keeps the thread-locals of C code, a set for each worker;
//! - `hook_flag` is what std keeps of a thread that is in its panic hook;
//! - `environment` puts the variables back;
//! - `folder` puts the current directory and the mask for new files back;
//! - `processes` ends those that an iteration has made;
//! - `temporary` empties the folder for temporary files;
//! - `shared_files` knows which other files iterations share;
//! - `descriptors` closes what an iteration has opened;
//! - `handlers` takes back the signal handlers that it has installed;
//! - `output` takes back what it has printed.

pub(crate) mod address_space;
pub mod arena;
pub(crate) mod c_locals;
pub(crate) mod descriptors;
mod elf;
pub(crate) mod environment;
pub(crate) mod folder;
pub(crate) mod handlers;
pub(crate) mod hook_flag;
pub(crate) mod kept;
pub(crate) mod libraries;
pub(crate) mod limit;
mod mangling;
pub mod mappings;
pub(crate) mod output;
pub mod own;
pub(crate) mod processes;
pub(crate) mod shared_files;
pub(crate) mod statics;
pub(crate) mod temporary;

pub use descriptors::note_copy as note_copy_of_descriptor;
pub use folder::note_change as note_change_of_folder;
pub use handlers::note_handler;
pub use processes::{are_ended as ends_processes, note_process};
pub use shared_files::{PathUse, note_path};
pub use statics::{Static, has_own_allocator, is_static, statics_of};
pub use temporary::note_path_use;

/// Has everything that is to outlive an iteration in memory that copies of this process share. Before
/// anything of an engine is made; false if there is no such memory.
pub(crate) fn share() -> bool {
    own::share() && kept::share()
}
