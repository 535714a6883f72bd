//! The objects that are accessed: memory, or something behind functions that name a group.

use super::told::Severity;

/// A group of functions that go about the same objects: of two at a time one may not write.
#[derive(Debug)]
pub struct Group {
    /// Its name, as reports have it.
    pub name: &'static str,
    /// How two accesses at a time are wrong.
    pub severity: Severity,
    /// Under control, the number by which its things are told from those of other groups at the same address;
    /// none if the memory there is what is accessed.
    pub number: Option<u8>,
}

/// A function of a group.
#[derive(Debug)]
pub struct Api {
    /// Its name, as reports have it.
    pub name: &'static str,
    /// The group.
    pub group: &'static Group,
    /// It may change the object.
    pub writes: bool,
}

/// An object that is accessed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    /// These bytes.
    Memory {
        /// The first.
        address: usize,
        /// How many.
        size: usize,
    },
    /// The one of a group with this key.
    Of(&'static Group, u64),
}

impl Object {
    /// True if an access of the one is an access of the other.
    pub(super) fn meets(self, other: Object) -> bool {
        match (self, other) {
            (
                Object::Memory { address, size },
                Object::Memory {
                    address: other,
                    size: other_size,
                },
            ) => address < other + other_size && other < address + size,
            (Object::Of(group, key), Object::Of(other, other_key)) => {
                std::ptr::eq(group, other) && key == other_key
            }
            _ => false,
        }
    }

    /// How two accesses at a time are wrong.
    pub(super) fn severity(self) -> Severity {
        match self {
            Object::Memory { .. } => Severity::Undefined,
            Object::Of(group, _) => group.severity,
        }
    }

    /// A number for the object, by which its last accesses are remembered.
    pub(super) fn key(self) -> u64 {
        match self {
            Object::Memory { address, .. } => address as u64 >> 3,
            Object::Of(group, key) => {
                let group = std::ptr::from_ref(group).addr() as u64;
                (group.rotate_left(20) ^ key.wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1 << 63
            }
        }
    }
}
