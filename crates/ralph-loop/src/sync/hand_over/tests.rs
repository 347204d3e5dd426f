use forge::{
    Check, CheckState, Checks, Comment, ForgeKind, Remote, Repository, Thread, ThreadPlace,
};
use tasks::Sha256Digest;

use super::super::people::People;
use super::super::points::{OWN_MARK, open_points};
use super::super::state::HandedOver as Handed;
use super::*;

struct Nothing;

impl WorkHistory for Nothing {
    fn stories_of(&self, _: &str) -> Result<Vec<StoryId>> {
        Ok(Vec::new())
    }

    fn approved(&self) -> &[StoryId] {
        &[]
    }
}

const LIST: &str = r#"{
  "project": "p", "branchName": "b", "description": "d", "mine": [1,  2],
  "userStories": [
    {"id": "US-1", "title": "t", "acceptanceCriteria": ["c"], "priority": 1, "passes": true, "notes": "n",
     "reviewStatus": "approved", "reviewCount": 5, "reviewFeedback": "[AUTO-APPROVED AT CAP] slow", "own":  {} },
    {"id": "US-2", "title": "t", "acceptanceCriteria": ["c"], "priority": 2, "passes": true, "notes": "n",
     "reviewStatus": "approved", "reviewCount": 1, "reviewFeedback": ""}
  ]
}
"#;

fn comment(author: &str, body: &str) -> Comment {
    let url = format!("https://h/{body}");
    Comment { author: Some(author.into()), association: None, body: body.into(), url }
}

fn thread(id: &str, comments: Vec<Comment>) -> Thread {
    let at = ThreadPlace { id: id.into(), path: None, line: None, url: format!("https://h/{id}") };
    Thread { at, is_resolved: false, is_outdated: false, comments }
}

fn plan<'p>(points: &'p [Point], known: &PullState, list: &str) -> HandOver<'p> {
    let list = tasks::inspect(list.as_bytes()).accepted().unwrap();
    let remote = Remote::parse("https://h.example/acme/shop").unwrap();
    let repository = Repository::new(&remote, Some(ForgeKind::Forgejo), None).unwrap();
    let attribution = Attribution { list: &list, repository: &repository };
    HandOver::plan(points, 7, known, attribution, &Nothing).unwrap()
}

fn points(threads: Vec<Thread>) -> (Vec<Point>, Vec<Ignored>) {
    let people = People::known("Owner", &["carl", "dora", "owner"]);
    open_points(threads, &Checks { checks: Vec::new() }, "abc", &people)
}

#[test]
fn only_comments_of_writers_count() {
    let mut resolved = thread("4", vec![comment("carl", "done")]);
    resolved.is_resolved = true;
    let mut gone = comment("x", "gone");
    gone.author = None;
    let (points, ignored) = points(vec![
        thread("1", vec![comment("eve", "a"), comment("carl", "b"), comment("owner", "c")]),
        thread("2", vec![comment("carl", &format!("{OWN_MARK}fixed")), gone]),
        thread("3", vec![comment("eve", "US-1")]),
        resolved,
    ]);
    let [Point::Thread { at, comments }] = &points[..] else { panic!("{points:?}") };
    assert_eq!((at.id.as_str(), comments.len(), comments[0].body.as_str()), ("1", 1, "b"));
    let why: Vec<&str> = ignored.iter().map(|ignored| ignored.why.as_str()).collect();
    let (reader, own) = ("no write access", "by the user of the access token");
    assert_eq!(why, [reader, own, "written by Ralph", "its author was deleted", reader]);
    let everyone = vec![thread("3", vec![comment("eve", "US-1")])];
    let (open, _) =
        open_points(everyone, &Checks { checks: Vec::new() }, "abc", &People::everyone("owner"));
    assert_eq!(open.len(), 1);
}

#[test]
fn failed_checks_count_once_for_a_commit() {
    let check = |name: &str, state| Check {
        name: name.into(),
        state,
        url: None,
        description: String::new(),
    };
    let checks = Checks {
        checks: vec![
            check("ci", CheckState::Failed),
            check("ci", CheckState::Failed),
            check("lint", CheckState::Passed),
            check("slow", CheckState::Pending),
        ],
    };
    let of = |head| open_points(Vec::new(), &checks, head, &People::known("o", &[])).0;
    let (first, second) = (of("abc"), of("def"));
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].key(), first[0].shown()), ("check:ci".into(), "check ci".into()));
    assert_ne!(first[0].digest(), second[0].digest());
}

#[test]
fn a_story_is_opened_again_and_the_rest_of_the_list_stays() {
    let (points, _) = points(vec![
        thread("1", vec![comment("carl", "US-1 one")]),
        thread("2", vec![comment("dora", "US-1 two")]),
    ]);
    let plan = plan(&points, &PullState::default(), LIST);
    let text = plan.apply(LIST).unwrap();
    let (head, tail) = LIST.split_once(r#""passes": true, "notes": "n","#).unwrap();
    assert!(text.starts_with(head), "{text}");
    let after = tail.split_once(r#""own":  {} }"#).unwrap().1;
    assert!(text.ends_with(after), "the other story and the unknown fields stay: {text}");
    let list = tasks::inspect(text.as_bytes()).accepted().unwrap();
    let story = &list.stories[0];
    // The review cap must not accept the fix without a review that may reject it.
    let expected = StoryState {
        passes: false,
        review_status: ReviewStatus::ChangesRequested,
        review_count: 0,
    };
    assert_eq!(story.state(), expected);
    assert!(story.has_pull_request_feedback() && !story.review_feedback.contains("AT CAP"));
    assert_eq!(story.review_feedback.matches(" wrote:").count(), 2);
    assert_eq!(tasks::check_invariants(&list, 1, None), []);
    assert_eq!(plan.report()[0].points.len(), 2);
}

#[test]
fn known_points_are_not_repeated_until_someone_comments() {
    let (first, _) = points(vec![thread("1", vec![comment("carl", "US-2 a")])]);
    let digest = first[0].digest();
    let handed = |digest: Sha256Digest, is_answered| PullState {
        handed_over: [(
            "thread:1".to_owned(),
            Handed {
                digest,
                story: StoryId::new("US-2").unwrap(),
                at: events::now(),
                since: String::new(),
                is_answered,
            },
        )]
        .into(),
        ..PullState::default()
    };
    for (is_answered, why) in
        [(false, "handed over before, story US-2"), (true, "answered before, story US-2")]
    {
        let known = plan(&first, &handed(digest, is_answered), LIST);
        assert!(known.stories.is_empty());
        assert_eq!(known.ignored[0].why, why);
    }
    // A comment that does not count changes nothing.
    let (same, _) = points(vec![thread(
        "1",
        vec![comment("carl", "US-2 a"), comment("owner", "**Ralph**: x")],
    )]);
    assert!(plan(&same, &handed(digest, true), LIST).stories.is_empty());
    let (more, _) =
        points(vec![thread("1", vec![comment("carl", "US-2 a"), comment("carl", "still")])]);
    assert_eq!(plan(&more, &handed(digest, true), LIST).stories.len(), 1);

    // The story is open already: the feedback grows.
    let open = plan(&first, &PullState::default(), LIST).apply(LIST).unwrap();
    let grown = plan(&more, &handed(digest, false), &open).apply(&open).unwrap();
    let list = tasks::inspect(grown.as_bytes()).accepted().unwrap();
    let feedback = &list.stories[1].review_feedback;
    assert!(feedback.contains("> still") && feedback.matches("[PULL REQUEST #7]").count() == 2);
}
