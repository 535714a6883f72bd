//! Radical, issue 108: a message broker has the subscriptions of each type of message in lists, to which
//! subscribers add while messages are broadcast.

use dictionary::Dictionary;

/// A type of message.
pub type Topic = u32;

#[derive(Debug, Default)]
pub struct MessageBroker {
    subscriptions: Dictionary<Topic, Vec<u32>>,
}

impl MessageBroker {
    pub fn subscribe(&self, topic: Topic, subscriber: u32) {
        if self.subscriptions.contains_key(&topic) {
            let mut list = self.subscriptions.get(&topic);
            list.push(subscriber);
            self.subscriptions.set(topic, list);
        } else {
            self.subscriptions.add(topic, vec![subscriber]);
        }
    }

    /// Hands the message on, and returns to how many.
    pub fn broadcast(&self, topic: Topic, message: u32) -> usize {
        let list = self.subscriptions.try_get(&topic).unwrap_or_default();
        list.into_iter()
            .filter(|subscriber| subscriber ^ message != u32::MAX)
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn two_subscribe_while_one_broadcasts() {
        let broker = Arc::new(MessageBroker::default());
        let on = |work: fn(&MessageBroker, u32)| {
            let broker = broker.clone();
            thread::spawn(move || {
                for round in 0..8 {
                    work(&broker, round);
                    thread::sleep(std::time::Duration::from_millis(1));
                }
            })
        };
        let tasks = [
            on(|broker, round| broker.subscribe(round % 3, round)),
            on(|broker, round| broker.subscribe(round % 3, 100 + round)),
            on(|broker, round| assert!(broker.broadcast(round % 3, 7) <= 16)),
        ];
        for task in tasks {
            task.join().unwrap();
        }
    }
}
