//! The worked example of docs/from-shuttle.md, as it is tested with Shuttle.

use std::collections::HashMap;

use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;

#[derive(Default)]
pub(crate) struct Cache {
    pages: Mutex<HashMap<u32, String>>,
    pub(crate) loads: AtomicUsize,
}

impl Cache {
    pub(crate) fn get(&self, number: u32) -> String {
        if let Some(page) = self.pages.lock().unwrap().get(&number) {
            return page.clone();
        }
        self.loads.fetch_add(1, SeqCst);
        let page = format!("page {number}");
        self.pages.lock().unwrap().insert(number, page.clone());
        page
    }
}

pub(crate) fn a_page_is_loaded_once() {
    shuttle::check_random(
        || {
            let cache = Arc::new(Cache::default());
            let other = thread::spawn({
                let cache = Arc::clone(&cache);
                move || cache.get(1)
            });
            cache.get(1);
            other.join().unwrap();
            assert_eq!(cache.loads.load(SeqCst), 1);
        },
        1000,
    );
}
