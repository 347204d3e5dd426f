use super::*;

struct TestQueue {
    _dir: assert_fs::TempDir,
    layout: Layout,
    queue: OrderQueue,
}

fn queue() -> TestQueue {
    let dir = assert_fs::TempDir::new().unwrap();
    let layout = Layout::new(dir.path());
    let queue = OrderQueue::open(&layout).unwrap();
    TestQueue { _dir: dir, layout, queue }
}

fn orders(read: &ReadOrders) -> Vec<&Order> {
    read.order_files.iter().map(|order_file| &order_file.order).collect()
}

#[test]
fn orders_are_read_in_the_order_they_were_given_until_they_are_removed() {
    let here = queue();
    let skip = Order::Skip { story: Some(StoryId::new("US-2").unwrap()) };
    let given = [Order::Pause, Order::steer("use \"tabs\"\n").unwrap(), skip, Order::GoOn];
    for order in &given {
        give(&here.layout, "r1", order).unwrap();
    }
    std::fs::write(here.layout.orders().join("0.json"), "{").unwrap();
    let waits: Vec<Order> = waiting(&here.layout).into_iter().map(|one| one.order).collect();
    assert_eq!(waits, given);
    assert!(here.layout.orders().join("0.json").exists());
    let read = here.queue.read(&[]);
    assert_eq!(orders(&read), given.iter().collect::<Vec<_>>());
    assert!(read.order_files.iter().all(|order_file| order_file.run == "r1"));
    assert!(read.order_files[0].at.elapsed().unwrap() < Duration::from_secs(60));
    let known = [read.order_files[1].path(), read.order_files[3].path()];
    assert_eq!(orders(&here.queue.read(&known)), [&given[0], &given[2]]);
    read.order_files[0].remove().unwrap();
    read.order_files[0].remove().unwrap();
    assert_eq!(orders(&here.queue.read(&[])), given[1..].iter().collect::<Vec<_>>());
}

#[test]
fn an_order_can_be_replaced_by_a_more_precise_one() {
    let here = queue();
    give(&here.layout, "r1", &Order::Skip { story: None }).unwrap();
    let mut order_file = here.queue.read(&[]).order_files.remove(0);
    order_file.replace(Order::Skip { story: Some(StoryId::new("US-1").unwrap()) }).unwrap();
    let again = here.queue.read(&[]).order_files.remove(0);
    assert_eq!(again.order, order_file.order);
    assert_eq!((again.run, again.path), (order_file.run, order_file.path));
}

#[test]
fn orders_look_as_documented() {
    let text = |order: &Order| serde_json::to_string(order).unwrap();
    assert_eq!(text(&Order::GoOn), r#"{"kind":"go-on"}"#);
    assert_eq!(text(&Order::Skip { story: None }), r#"{"kind":"skip"}"#);
    let steer = Order::steer("x").unwrap();
    assert_eq!(text(&steer), r#"{"kind":"steer","text":"x"}"#);
    let answer = Order::answer(StoryId::new("US-1").unwrap(), Some(2), "x\u{1b}\n").unwrap();
    let written = r#"{"kind":"answer","story":"US-1","question":2,"text":"x"}"#;
    assert_eq!(text(&answer), written);
}

#[test]
fn an_instruction_is_neither_empty_nor_too_long_and_has_no_control_characters() {
    assert!(matches!(Order::steer(" \n\u{7}"), Err(OrderError::Empty)));
    assert!(Order::steer(&"é".repeat(LONGEST_STEER)).is_ok());
    let long = "é".repeat(LONGEST_STEER + 1);
    assert!(matches!(Order::steer(&long), Err(OrderError::TooLong { chars: 4_001 })));
    let text = "a\u{0}\u{1b}[1m\r\nb\tc".to_owned();
    assert_eq!(
        Order::steer(&text).unwrap(),
        Order::Steer { text: "a[1m\nb\tc".into(), story: None }
    );
    // The limit also applies to a file that was written by hand.
    let here = queue();
    assert!(give(&here.layout, "r1", &Order::Steer { text: long.clone(), story: None }).is_err());
    let by_hand =
        format!(r#"{{"version":1,"run":"r1","at":1,"order":{{"kind":"steer","text":"{long}"}}}}"#);
    std::fs::write(here.layout.orders().join("1.json"), by_hand).unwrap();
    let read = here.queue.read(&[]);
    assert!(read.order_files.is_empty());
    assert!(read.invalid[0].starts_with("1.json: the text has 4001 characters"), "{read:?}");
}

#[test]
fn invalid_files_are_named_and_removed() {
    let here = queue();
    let folder = here.layout.orders();
    std::fs::write(folder.join("a.json"), "{").unwrap();
    std::fs::write(folder.join("b.json"), " ".repeat(70_000)).unwrap();
    std::fs::write(folder.join("c.txt"), "pause").unwrap();
    std::fs::create_dir_all(folder.join("d.json/deep")).unwrap();
    let newer = r#"{"version":2,"run":"r1","at":1,"order":{"kind":"pause"}}"#;
    std::fs::write(folder.join("e.json"), newer).unwrap();
    let unknown = r#"{"version":1,"run":"r1","at":1,"order":{"kind":"approve","story":"US-1"}}"#;
    std::fs::write(folder.join("f.json"), unknown).unwrap();
    let read = here.queue.read(&[]);
    assert!(read.order_files.is_empty());
    for (invalid, name) in read.invalid.iter().zip("abcdef".chars()) {
        assert!(invalid.starts_with(name), "{read:?}");
    }
    assert_eq!(read.invalid.len(), 6);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_flood_is_read_a_bit_at_a_time() {
    let here = queue();
    for number in 0..100 {
        let flood = r#"{"version":1,"run":"r1","at":1,"order":{"kind":"pause"}}"#;
        std::fs::write(here.layout.orders().join(format!("{number:03}.json")), flood).unwrap();
    }
    let read = here.queue.read(&[]);
    assert_eq!(read.order_files.len(), MOST_ORDERS);
    assert!(read.order_files[0].path().ends_with("000.json"));
}

#[test]
fn recent_temporary_files_stay_and_abandoned_ones_are_removed() {
    let here = queue();
    let path = here.layout.orders().join(format!("{TEMPORARY_PREFIX}x"));
    let file = std::fs::File::create(&path).unwrap();
    assert!(here.queue.read(&[]).invalid.is_empty());
    file.set_modified(SystemTime::now() - 2 * WRITTEN_WITHIN).unwrap();
    assert_eq!(here.queue.read(&[]).invalid.len(), 1);
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let here = queue();
    let elsewhere = assert_fs::TempDir::new().unwrap();
    let others = elsewhere.path().join("notes.txt");
    std::fs::write(&others, "mine").unwrap();
    symlink(&others, here.layout.orders().join("1.json")).unwrap();
    symlink("/dev/zero", here.layout.orders().join("2.json")).unwrap();
    assert_eq!(here.queue.read(&[]).invalid.len(), 2);
    assert!(others.exists());

    // Nor does a link in place of the folder itself, or of one above it.
    for swapped in [here.layout.orders(), here.layout.data_dir()] {
        std::fs::remove_dir_all(&swapped).unwrap();
        std::fs::create_dir_all(elsewhere.path().join("orders")).unwrap();
        std::fs::write(elsewhere.path().join("orders/kept"), "mine").unwrap();
        symlink(elsewhere.path(), &swapped).unwrap();
        assert!(here.queue.read(&[]).invalid.is_empty(), "{swapped:?}");
        std::fs::remove_file(&swapped).unwrap();
        std::fs::create_dir_all(here.layout.orders()).unwrap();
    }
    assert!(others.exists() && elsewhere.path().join("orders/kept").exists());
    std::fs::remove_dir(here.layout.orders()).unwrap();
    symlink(elsewhere.path(), here.layout.orders()).unwrap();
    give(&here.layout, "r1", &Order::Stop).unwrap();
    assert_eq!(orders(&here.queue.read(&[])), [&Order::Stop]);
}
