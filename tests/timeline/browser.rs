//! A headless Chromium, led by the `DevTools` protocol over a pipe: no port, and no library.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{env, fs, thread};

use serde_json::{Value, json};

/// The names that it has in distributions.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
/// It runs as whoever tests, and without much shared memory.
const FLAGS: [&str; 5] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
];
/// A browser that says nothing for so long has hung.
const PATIENCE: Duration = Duration::from_mins(2);

/// Whether the browser of this machine works.
static WORKS: OnceLock<bool> = OnceLock::new();

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    requests: ChildStdin,
    messages: Receiver<Value>,
    last: u64,
    session: Option<String>,
    profile: PathBuf,
    /// All that the page has loaded, and all that went wrong in it.
    pub(crate) loaded: Vec<String>,
    pub(crate) errors: Vec<String>,
}

/// True if it can show an empty page: a machine may lack what it needs.
fn works(program: &Path) -> bool {
    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chromium-probe");
    let shown = Command::new(program)
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--dump-dom", "about:blank"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    shown.is_ok_and(|shown| String::from_utf8_lossy(&shown.stdout).contains("<html>"))
}

impl Browser {
    /// Starts it; none if there is none on this machine that works.
    pub(crate) fn start(name: &str) -> Option<Browser> {
        let folders = env::var_os("PATH").unwrap_or_default();
        let program = env::split_paths(&folders)
            .flat_map(|folder| NAMES.map(|name| folder.join(name)))
            .find(|path| path.is_file())?;
        if !WORKS.get_or_init(|| works(&program)) {
            eprintln!("`{}` does not start here", program.display());
            return None;
        }
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chromium-{name}"));
        let _ = fs::remove_dir_all(&profile);
        // The protocol goes over descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args([
                "-c",
                "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null",
            ])
            .arg(program)
            .args(FLAGS)
            .args(["--remote-debugging-pipe", "--window-size=1400,900"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let requests = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in answers.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("messages are JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Browser {
            child,
            requests,
            messages,
            last: 0,
            session: None,
            profile,
            loaded: Vec::new(),
            errors: Vec::new(),
        };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &target);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Asks for something; returns the answer.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut request = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        let request = format!("{request}\0");
        self.requests
            .write_all(request.as_bytes())
            .expect("the browser reads");
        loop {
            let message = self.message();
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    /// Waits for an event.
    #[track_caller]
    fn wait_for(&mut self, method: &str) {
        while self.message()["method"] != method {}
    }

    #[track_caller]
    fn message(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        let message = message.expect("the browser says something");
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                self.loaded.push(url.to_owned());
            }
            Some("Runtime.exceptionThrown") => {
                self.errors.push(params["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") => self.errors.push(params["entry"].to_string()),
            _ => {}
        }
        message
    }

    /// Opens a file.
    pub(crate) fn open(&mut self, page: &Path) {
        let mut url = String::from("file://");
        for byte in page.to_str().expect("paths of tests are UTF-8").bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                    url.push(char::from(byte));
                }
                _ => write!(url, "%{byte:02X}").expect("a string takes all"),
            }
        }
        self.call("Page.navigate", &json!({ "url": url }));
        self.wait_for("Page.loadEventFired");
    }

    /// Evaluates an expression in the page, after the next frame.
    #[track_caller]
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let frame = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))";
        let expression = format!("{frame}.then(() => ({expression}))");
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", &params);
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {result}"
        );
        result["result"]["value"].clone()
    }

    /// The text of the first element that this selects.
    #[track_caller]
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let text = self.eval(&format!("document.querySelector({selector:?}).innerText"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Presses a key, by its name.
    pub(crate) fn press(&mut self, key: &str) {
        let mut down = json!({ "type": "keyDown", "key": key });
        let text = if key == "Enter" { "\r" } else { key };
        if text.chars().count() == 1 {
            down["text"] = json!(text);
        }
        // Tab and Enter do what they do by their codes.
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            " " => 32,
            _ => 0,
        };
        down["windowsVirtualKeyCode"] = json!(code);
        self.call("Input.dispatchKeyEvent", &down);
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", &up);
    }

    /// Types a text.
    pub(crate) fn write(&mut self, text: &str) {
        text.chars().for_each(|c| self.press(&c.to_string()));
    }

    /// Clicks into the middle of the first element that this selects.
    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(at => [at.x + at.width / 2, at.y + at.height / 2])\
             (document.querySelector({selector:?}).getBoundingClientRect())"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", &params);
        }
    }

    /// Sets the theme that the user prefers.
    pub(crate) fn prefer(&mut self, theme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": theme });
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [feature] }),
        );
    }

    /// Keeps a picture of the page; returns the size of the file.
    pub(crate) fn screenshot(&mut self, name: &str) -> usize {
        self.eval("0");
        let shot = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let bytes = decoded(shot["data"].as_str().expect("a picture"));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("timeline");
        fs::create_dir_all(&folder).expect("the target folder is writable");
        fs::write(folder.join(name), &bytes).expect("the target folder is writable");
        bytes.len()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}

/// Decodes base 64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        bits = bits << 6 | u32::from(value(byte));
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
