//! Thunderstruck, issue 3: the settings of connections are kept by name in one buffer for all.

use std::sync::LazyLock;

use dictionary::Dictionary;

#[derive(Clone, Debug)]
pub struct Settings {
    pub server: String,
}

#[derive(Debug, Default)]
pub struct ConnectionStringBuffer {
    buffer: Dictionary<String, Settings>,
}

static INSTANCE: LazyLock<ConnectionStringBuffer> = LazyLock::new(ConnectionStringBuffer::default);

impl ConnectionStringBuffer {
    pub fn instance() -> &'static ConnectionStringBuffer {
        &INSTANCE
    }

    pub fn get(&self, name: &str) -> Settings {
        let name = name.to_owned();
        if !self.buffer.contains_key(&name) {
            let settings = Settings {
                server: format!("tcp:{name}"),
            };
            self.buffer.add(name.clone(), settings);
        }
        self.buffer.get(&name)
    }
}

/// A connection with a transaction.
#[derive(Debug)]
pub struct DataContext {
    pub settings: Settings,
}

impl DataContext {
    pub fn new(connection: &str) -> DataContext {
        DataContext {
            settings: ConnectionStringBuffer::instance().get(connection),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn by(count: usize) {
        let tasks: Vec<_> = (0..count)
            .map(|_| thread::spawn(|| DataContext::new("Default1")))
            .collect();
        for task in tasks {
            assert_eq!(task.join().unwrap().settings.server, "tcp:Default1");
        }
    }

    #[test]
    fn contexts_by_two() {
        by(2);
    }

    #[test]
    fn contexts_by_four() {
        by(4);
    }
}
