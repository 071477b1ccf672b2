//! The page at `/`, in a real browser: headless Chromium, driven by ChromeDriver (Debian: chromium-driver).
//!
//! On a busy machine a browser may never answer: `cargo test --release --test cli -- --ignored server::page`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::client::Server;

/// A browser under control of a test.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: TempDir,
}

/// How WebDriver names an element in JSON.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

impl Browser {
    fn open() -> Self {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut driver = driver.expect("chromedriver");
        let stdout = driver.stdout.take().expect("piped");
        let mut lines = BufReader::new(stdout).lines();
        let port = lines.find_map(|line| {
            let line = line.ok()?;
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        // It must not stop for want of a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser = Self {
            driver,
            port: port.expect("a port"),
            session: String::new(),
            profile,
        };
        let folder = browser.profile.path().display().to_string();
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1200,900",
            &format!("--user-data-dir={folder}"),
        ];
        let wanted =
            json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}});
        let begun = browser.post("/session", &wanted);
        let session = begun["sessionId"].as_str();
        session.expect("a session").clone_into(&mut browser.session);
        browser
    }

    fn send(&self, method: &str, path: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("written");
        // The driver leaves the connection open, whatever the request.
        let mut reader = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line).expect("a head") > 2 {
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
            line.clear();
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("an answer");
        let mut json: Value = serde_json::from_slice(&answer).expect("JSON");
        json["value"].take()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let path = match self.session.as_str() {
            "" => path.to_owned(),
            session => format!("/session/{session}{path}"),
        };
        let value = self.send("POST", &path, &body.to_string());
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    fn go(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// The element of an id.
    fn element(&self, id: &str) -> String {
        let found = self.post(
            "/element",
            &json!({"using": "css selector", "value": format!("#{id}")}),
        );
        found[ELEMENT].as_str().expect("an element").to_owned()
    }

    fn write(&self, id: &str, text: &str) {
        let path = format!("/element/{}/value", self.element(id));
        self.post(&path, &json!({ "text": text }));
    }

    fn click(&self, id: &str) {
        let path = format!("/element/{}/click", self.element(id));
        self.post(&path, &json!({}));
    }

    fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits until a script says something else than null and false.
    fn wait(&self, script: &str) -> Value {
        let begun = Instant::now();
        loop {
            let value = self.run(script);
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return value;
            }
            let status = self.run("return document.getElementById('notice').textContent");
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "{script}: {status}"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A picture of the window, where `CANOPY_SCREENSHOTS` names a folder for it.
    fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("CANOPY_SCREENSHOTS").map(PathBuf::from) else {
            return;
        };
        let picture = self.send("GET", &format!("/session/{}/screenshot", self.session), "");
        let text = picture.as_str().expect("a picture");
        std::fs::write(folder.join(format!("{name}.base64")), text).expect("written");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.send("DELETE", &format!("/session/{}", self.session), "");
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

const ROWS: &str = "const rows = [...document.querySelectorAll('#rows tr')]; \
    return rows.length && !document.getElementById('result').hidden \
    ? rows.map(row => [...row.cells].map(cell => cell.textContent)) : null";

#[test]
#[ignore = "needs Chromium and chromedriver, on a machine that is not busy"]
fn a_text_and_a_document_are_translated_beside_their_source() {
    let browser = Browser::open();
    let server = Server::start(&[]);
    browser.go(&format!("http://{}/", server.address));
    browser.wait("return document.getElementById('target').options.length > 0");
    let shown = "return ['key-field', 'done', 'result'].filter(id => getComputedStyle(document.getElementById(id)).display !== 'none')";
    assert_eq!(browser.run(shown), json!([]));
    browser.picture("empty");
    browser.write(
        "text",
        "Open the file. Close the window.\n\nPrint the page.",
    );
    browser.click("translate");
    let rows = browser.wait(ROWS);
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(rows[0][0], "Open the file.");
    let expected = server.post_json(
        "/translate",
        &json!({"q": "Open the file.", "source": "en", "target": "de"}),
    );
    assert_eq!(rows[0][1], expected.good()["translatedText"]);
    let status = browser.run("return document.getElementById('notice').textContent");
    assert!(
        status
            .as_str()
            .is_some_and(|status| status.starts_with("3 sentences by tiny en-de")),
        "{status}"
    );
    browser.picture("text");
    let folder = tempfile::tempdir().expect("a folder");
    let document = folder.path().join("page.html");
    let script = "<p>Open the <b>file</b>.</p><script>alert(1)</script><p>&lt;img src=x onerror=alert(2)&gt; Print.</p>";
    std::fs::write(&document, script).expect("written");
    browser.write("file", document.to_str().expect("a name"));
    browser.click("translate");
    let rows = browser.wait("return document.getElementById('to-name').textContent && document.querySelectorAll('#rows tr').length !== 3 && !document.getElementById('result').hidden ? [...document.querySelectorAll('#rows tr')].map(row => row.cells[0].textContent) : null");
    assert_eq!(rows[0], "Open the ⟨1⟩file⟨/1⟩.");
    // What a document says is text, not a part of the page.
    assert_eq!(
        browser.run("return document.querySelectorAll('#rows img, #rows script, #rows b').length"),
        0
    );
    browser.picture("document");
    let name = browser.wait("return fetched && fetched.name");
    assert_eq!(name, "page.de.html");
    let link = browser.run(
        "const click = HTMLAnchorElement.prototype.click; window.saved = null; \
         HTMLAnchorElement.prototype.click = function () { window.saved = this.download; fetch(this.href).then(a => a.text()).then(t => window.bytes = t); }; \
         document.getElementById('download').click(); return true",
    );
    assert_eq!(link, true);
    assert_eq!(browser.wait("return window.saved"), "page.de.html");
    // No requests went to anything but this server.
    let addresses =
        browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)");
    let own = format!("http://{}/", server.address);
    for address in addresses.as_array().expect("addresses") {
        let address = address.as_str().expect("an address");
        assert!(
            address.starts_with(&own)
                || address.starts_with("blob:")
                || address.starts_with("data:"),
            "{address}"
        );
    }
}

#[test]
#[ignore = "needs Chromium and chromedriver, on a machine that is not busy"]
fn the_page_asks_for_a_key_and_shows_what_is_wrong() {
    let browser = Browser::open();
    let server = Server::start(&["--key", "secret"]);
    browser.go(&format!("http://{}/", server.address));
    browser.wait("return !document.getElementById('key-field').hidden");
    browser.click("translate");
    let status = "return document.getElementById('notice').classList.contains('failed') && document.getElementById('notice').textContent";
    assert_eq!(browser.wait(status), "There is nothing to translate yet.");
    browser.write("text", "Open the file.");
    browser.write("key", "wrong");
    browser.click("translate");
    browser.wait("return document.getElementById('notice').textContent === 'Invalid API key'");
    browser.run("document.getElementById('key').value = 'secret'");
    browser.click("translate");
    browser.wait(ROWS);
}
