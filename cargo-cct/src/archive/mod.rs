//! Archives: test executables with all that it takes to run them on another machine of the same sort, where
//! there is neither cargo nor a compiler nor the source.
//!
//! An archive is a compressed tar file. Its first entry, `manifest.json`, says what was built and how, and
//! has a digest of each other file. It is unpacked once, into the cache, by the digest of the whole file.
//!
//! ```text
//! manifest.json
//! target/      executables, shared libraries and programs of the target folder, and the output of build
//!              scripts that tests are told of
//! workspace/   the folders of the workspace's members: reports cite them, tests read their data
//! outside/     those of members that lie elsewhere
//! toolchain/   shared libraries of the toolchain that an executable loads
//! ```

mod manifest;
mod needed;
mod pack;
mod unpack;

pub(crate) use pack::{Contents, pack};
pub(crate) use unpack::Archive;
