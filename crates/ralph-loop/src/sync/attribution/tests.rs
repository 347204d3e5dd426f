use forge::{CheckState, ForgeKind, Remote, ThreadPlace};

use super::*;

struct Known {
    of_files: Vec<(&'static str, Vec<&'static str>)>,
    approved: Vec<StoryId>,
}

impl WorkHistory for Known {
    fn stories_of(&self, path: &str) -> anyhow::Result<Vec<StoryId>> {
        let found = self.of_files.iter().find(|(file, _)| *file == path);
        Ok(found
            .map(|(_, stories)| stories.iter().map(|name| id(name)).collect())
            .unwrap_or_default())
    }

    fn approved(&self) -> &[StoryId] {
        &self.approved
    }
}

fn id(text: &str) -> StoryId {
    StoryId::new(text).unwrap()
}

/// `US-1`, `US-1.2` and `I-9` are accepted, `US-3` is open, `US-4` is open because of a pull request.
fn list() -> TaskList {
    let story = |name: &str, status: &str, feedback: &str, source: &str| {
        let passes = status == "\"approved\"";
        format!(
            r#"{{"id":"{name}","title":"t","acceptanceCriteria":["c"],"priority":1,"passes":{passes},"notes":"n",
            "reviewStatus":{status},"reviewCount":1,"reviewFeedback":"{feedback}"{source}}}"#
        )
    };
    let source = r#","source":"https://h.example/Acme/shop/issues/12""#;
    let other = r#","source":"https://h.example/other/repo/issues/13""#;
    let stories = [
        story("US-1", "\"approved\"", "", other),
        story("US-1.2", "\"approved\"", "", ""),
        story("US-3", "null", "", ""),
        story("US-4", "\"changes_requested\"", "[PULL REQUEST #7] x", ""),
        story("US-5", "\"changes_requested\"", "by a reviewer", ""),
        story("I-9", "\"approved\"", "", source),
    ];
    let text = format!(
        r#"{{"project":"p","branchName":"b","description":"d","userStories":[{}]}}"#,
        stories.join(",")
    );
    tasks::inspect(text.as_bytes()).accepted().unwrap()
}

fn thread(path: Option<&str>, bodies: &[&str]) -> Point {
    let at = ThreadPlace {
        id: "1".into(),
        path: path.map(str::to_owned),
        line: None,
        url: "https://h/1".into(),
    };
    let comment = |body: &&str| Comment {
        author: Some("carl".into()),
        association: None,
        body: (*body).to_owned(),
        url: "https://h/1".into(),
    };
    Point::Thread { at, comments: bodies.iter().map(comment).collect() }
}

fn check(name: &str) -> Point {
    let check = forge::Check {
        name: name.into(),
        state: CheckState::Failed,
        url: None,
        description: String::new(),
    };
    Point::Check { check, commit: "a".into() }
}

fn story_of(point: &Point, list: &TaskList, history: &Known) -> Option<String> {
    let remote = Remote::parse("https://h.example/acme/shop").unwrap();
    let repository = Repository::new(&remote, Some(ForgeKind::Forgejo), None).unwrap();
    let attribution = Attribution { list, repository: &repository };
    attribution.story_for(point, history).unwrap().map(|story| story.to_string())
}

#[test]
fn a_named_story_comes_before_the_file_and_that_before_the_last_approved() {
    let history = Known {
        of_files: vec![("a.rs", vec!["US-3", "US-5", "US-4", "US-1"]), ("c.rs", vec!["US-3"])],
        approved: vec![id("US-3"), id("US-1.2"), id("US-1")],
    };
    let list = list();
    for (point, expected) in [
        (thread(Some("a.rs"), &["Round once."]), "US-4"),
        (thread(Some("a.rs"), &["See US-1, please."]), "US-1"),
        (thread(Some("a.rs"), &["us-1.2!"]), "US-1.2"),
        (thread(Some("a.rs"), &["US-1", "no, US-1.2"]), "US-1.2"),
        (thread(Some("a.rs"), &["BUS-1 US-10 US-1-x"]), "US-4"),
        // Open, and of another repository.
        (thread(Some("a.rs"), &["US-3 #13"]), "US-4"),
        (thread(Some("a.rs"), &["as in (#12)"]), "I-9"),
        (thread(Some("a.rs"), &["#123"]), "US-4"),
        (thread(Some("c.rs"), &["x"]), "US-1.2"),
        (thread(None, &["x"]), "US-1.2"),
        (check("ci"), "US-1.2"),
        (check("ci of US-1"), "US-1"),
    ] {
        assert_eq!(story_of(&point, &list, &history).as_deref(), Some(expected), "{point:?}");
    }
}

#[test]
fn without_a_history_the_last_accepted_story_of_the_list_is_taken() {
    let none = Known { of_files: Vec::new(), approved: Vec::new() };
    let mut list = list();
    assert_eq!(story_of(&check("ci"), &list, &none).as_deref(), Some("I-9"));
    list.stories.retain(|story| !takes_feedback(story));
    assert_eq!(list.stories.len(), 2);
    assert_eq!(story_of(&check("ci"), &list, &none), None);
    assert_eq!(story_of(&thread(None, &["US-3"]), &list, &none), None);
}

#[test]
fn only_ids_with_letters_and_digits_are_names() {
    for (text, id, expected) in [
        ("fix it", "fix", false),
        ("take 12", "12", false),
        ("see A1.", "A1", true),
        ("é-A1", "A1", false),
        ("ÀA1", "A1", false),
    ] {
        assert_eq!(names(text, id), expected, "{text}");
    }
}
