//! System.Linq.Dynamic, pull request 48: a factory makes a class for each list of properties, and adds it to
//! its cache while it holds a lock for reading only.

use std::sync::RwLock;

use dictionary::Dictionary;

/// The name of a generated class.
pub type Class = String;

#[derive(Debug, Default)]
pub struct ClassFactory {
    classes: Dictionary<Vec<(String, String)>, Class>,
    lock: RwLock<u32>,
}

impl ClassFactory {
    /// The class with these properties: names and types.
    pub fn dynamic_class(&self, properties: &[(&str, &str)]) -> Class {
        let own = |&(name, kind): &(&str, &str)| (name.to_owned(), kind.to_owned());
        let signature: Vec<_> = properties.iter().map(own).collect();
        let reads = self.lock.read().unwrap();
        if let Some(class) = self.classes.try_get(&signature) {
            return class;
        }
        // A lock that can be upgraded lets other writers in between.
        drop(reads);
        let number = {
            let mut count = self.lock.write().unwrap();
            *count += 1;
            *count
        };
        let _reads = self.lock.read().unwrap();
        let class = format!("DynamicClass{number}");
        self.classes.add(signature, class.clone());
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn one_class_by_many() {
        let factory = ClassFactory::default();
        thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|| factory.dynamic_class(&[("prop2", "string")]));
            }
        });
    }
}
