//! Finds harms in code from combinations of calls.

use super::literals::Statement;
use crate::Category;
use crate::network::{Host, host, uses_network};
use crate::secrets::{code_prints_environment, is_secret};
use crate::words::words;
use shell_analysis::Word;

const SOCKETS: &[&str] = words!(
    r#"socket Socket net.connect fsockopen createConnection "net" 'net' /inet/tcp /inet/udp
     TCPServer net.Dial"#
);
const SHELL: &[&str] = words!(
    r#"/bin/sh /bin/bash dup2 pty.spawn "sh" 'sh' 'bash' "bash" cmd.exe /bin/zsh getline io.popen(
     [exec `$_`"#
);
const EVALUATES: &[&str] = &[
    "eval",
    "exec(",
    "exec (",
    "Function(",
    "vm.runIn",
    "compile(",
    "__import__(",
    "instance_eval",
];
const STARTS: &[&str] = &[
    "os.system(",
    "subprocess.",
    "child_process",
    "popen(",
    "spawn(",
    "execSync(",
    "system(",
    "shell_exec(",
    "system ",
    "exec ",
];
const DECODES: &[&str] = words!(
    r#"b64decode fromhex unhexlify atob( 'base64' "base64" codecs.decode rot13 rot_13 pack(
     marshal.load zlib.decompress fromCharCode decode_base64 base64_decode unpack chr( 'hex'
     "hex" bytes([ bytes.fromhex decode64 unpack1 [::-1] reverse()"#
);
const READS: &[&str] = &[
    "open(",
    "readFile",
    "read_text",
    "File.read",
    "file_get_contents(",
    "read_bytes",
    "IO.read",
    "`cat ",
];
const SENDS: &[&str] = &[
    "data=",
    "json=",
    "files=",
    "POST",
    ".post(",
    "post(",
    "method:",
    "sendall(",
    ".send(",
    ".write(",
    "sendto(",
    "sendmail(",
    "storbinary(",
    "gethostbyname(",
    ".end(",
    "print {",
    ".request(",
    "?",
];
const ENDLESS: &[&str] = &[
    "while True",
    "while 1",
    "while(true)",
    "while (true)",
    "for(;;)",
    "for (;;)",
    "while(1)",
    "while (1)",
    "loop {",
    "loop{",
    "loop do",
];

/// Whether code has an endless loop without a delay.
pub(crate) fn is_endless(code: &str) -> bool {
    let has = |calls: &[&str]| calls.iter().any(|call| code.contains(call));
    has(ENDLESS) && !has(&["sleep", "break", "exit", "last", "return", "read", "input"])
}

pub(super) fn harms(
    code: &str,
    statements: &[Statement],
    harms: &mut Vec<(Category, &'static str)>,
) {
    let has = |calls: &[&str]| calls.iter().any(|call| code.contains(call));
    let strings = || statements.iter().flat_map(|one| &one.strings);
    let addresses: Vec<&String> = strings().filter(|text| text.contains("://")).collect();
    let names_host =
        |wanted: Host| addresses.iter().any(|address| host(&Word::of(address.as_str())) == wanted);
    let is_local = !names_host(Host::Elsewhere)
        && (names_host(Host::Loopback)
            || strings().any(|text| text == "localhost" || text == "127.0.0.1"));
    let network = (uses_network(code)
        || has(&["\"net\"", "'net'", "\"tls\"", "'tls'"])
        || addresses.iter().any(|address| address.starts_with("http")))
        && !is_local;
    if has(SOCKETS) && has(SHELL) {
        harms.push((Category::ReverseShell, "the code gives a shell to another machine"));
    }
    if network && (has(EVALUATES) || has(STARTS)) {
        harms.push((Category::RemoteCode, "the code downloads code and runs it"));
    }
    let imports = [
        "import 'http",
        "import \"http",
        "from 'http",
        "from \"http",
        "import('http",
        "import(\"http",
    ];
    if has(&imports) && names_host(Host::Elsewhere) {
        harms.push((Category::RemoteCode, "the code loads code from the network"));
    }
    if has(DECODES) && (has(EVALUATES) || has(STARTS)) {
        harms.push((Category::HiddenCode, "the code decodes code and runs it"));
    }
    if network && has(READS) && has(SENDS) {
        harms.push((Category::Exfiltration, "the code sends the contents of files to the network"));
    }
    let secrets = strings().any(|text| is_secret(text) && text.to_uppercase() == *text);
    let environment = has(&["environ", "process.env", "ENV[", "getenv"]);
    if network && (code_prints_environment(code) || (environment && secrets && has(SENDS))) {
        harms.push((Category::EnvironmentDump, "the code sends the environment to the network"));
    }
    if has(&["setuid(0", "setreuid(0", "$< = 0", "$> = 0", "setgid(0", "Process::UID", "seteuid(0"])
    {
        harms.push((Category::PrivilegeEscalation, "the code switches to another user"));
    }
    let drops = strings().any(|text| {
        let text = text.to_ascii_lowercase();
        ["drop table", "drop database", "drop schema", "truncate table", "delete_many({})"]
            .iter()
            .any(|part| text.contains(part))
    });
    if drops && names_host(Host::Elsewhere) {
        harms.push((Category::CloudDestruction, "the code deletes data from a remote database"));
    }
    if has(&["getppid", "process.ppid"]) && has(&["kill"]) {
        harms.push((Category::LoopTampering, "the code ends processes of the loop"));
    }
    exhaustion(code, harms);
}

fn exhaustion(code: &str, harms: &mut Vec<(Category, &'static str)>) {
    let has = |calls: &[&str]| calls.iter().any(|call| code.contains(call));
    let forks = ["fork while", "fork()while", "fork() while", "fork until"];
    if has(&forks) || (has(ENDLESS) && has(&["fork", "spawn(", "Popen(", "Thread(", "Process("])) {
        harms.push((Category::ResourceExhaustion, "the code starts processes without limit"));
    }
    let large = ["10**", "1e9", "1e10", "<<30", "<< 30", "1024*1024*", "1024 * 1024 *"];
    if has(ENDLESS) && has(&["append(", ".push(", "+=", "write("]) && has(&large) {
        harms.push((Category::ResourceExhaustion, "the code allocates memory without limit"));
    }
}
