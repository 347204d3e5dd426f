//! What commands can connect to.

use simulator::{Script, ScriptedModel, Turn};
use walls::NativeWall;

use crate::cell::{Cell, Went};
use crate::listener::Listener;

fn knock(port: u16) -> String {
    format!("bash -c 'echo hello > /dev/tcp/127.0.0.1/{port}' && echo connected")
}

/// A request through the proxy of the sandbox, which is the only way out of it. In plain shell, since
/// not every machine has a client; and said to the proxy itself, since clients go to the loopback
/// directly.
fn ask_proxy(host: &str, port: u16) -> String {
    format!(
        "bash -c 'pass=${{HTTP_PROXY#http://}}; pass=${{pass%@*}}; exec 3<>/dev/tcp/127.0.0.1/3128; \
         printf \"GET http://{host}:{port}/ HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\
         Proxy-Authorization: Basic %s\\r\\nConnection: close\\r\\n\\r\\n\" \
         \"$(printf %s \"$pass\" | base64 -w0)\" >&3; timeout 20 cat <&3'"
    )
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn a_server_of_the_machine_is_out_of_reach_and_one_in_the_sandbox_is_not() {
    let listener = Listener::start();
    let cell = Cell::new(NativeWall::default());
    // The sandbox has a server of its own on its own loopback: the end of the proxy.
    let answers = cell.run([Turn::bash(knock(listener.port)), Turn::bash(knock(3128))]);
    assert!(answers[0].text.contains("Connection refused"), "{answers:?}");
    assert_eq!((answers[0].went, listener.visits()), (Went::Wrong, 0), "{answers:?}");
    assert!(answers[1].text.contains("connected"), "{answers:?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn without_the_wall_the_server_is_reached() {
    let listener = Listener::start();
    let cell = Cell::new(NativeWall::default());
    let model = ScriptedModel::start(Script::new([Turn::bash(knock(listener.port))])).unwrap();
    cell.home.session(&model).run().unwrap();
    assert_eq!(listener.visits(), 1);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn a_host_is_reached_by_the_name_that_is_allowed_and_by_no_other() {
    let [by_name, by_number] = [Listener::start(), Listener::start()];
    let wall = NativeWall { allowed_domains: vec!["localhost".into()], ..NativeWall::default() };
    let cell = Cell::new(wall);
    let answers = cell.run([
        Turn::bash(ask_proxy("localhost", by_name.port)),
        Turn::bash(ask_proxy("127.0.0.1", by_number.port)),
    ]);
    assert!(answers[0].text.contains("welcome"), "{answers:?}");
    assert!(by_name.visits() > 0);
    assert!(answers[1].text.contains("blocked by network allowlist"), "{answers:?}");
    assert_eq!(by_number.visits(), 0);
}
