//! Reads the keys of one JSON object and reports every problem.
//!
//! Reading continues after a problem, so that one pass reports all. The caller words the problems
//! and decides what an unknown key means.

use std::borrow::Cow;

use crate::{Entry, FieldPath, Json, Leaf};

/// Where an object is in its document.
pub trait Place {
    /// Where the object at `field` of this one is.
    fn child(&self, field: FieldPath) -> Self;
}

/// Takes the problems of a document.
pub trait Report {
    type Place: Place;

    /// Completes "expected …" for an array.
    const ARRAY: &'static str = "an array";

    fn report(&mut self, place: &Self::Place, field: FieldPath, fault: Fault<'_>);
}

#[derive(Debug)]
pub enum Fault<'j> {
    /// `found` is `None` if the key is missing.
    Wrong { expected: Cow<'static, str>, found: Option<&'j Json> },
    /// A key that is read is in the object more than once.
    Repeated { times: usize },
}

#[derive(Debug)]
pub struct ObjectReader<'j, 'p, R: Report> {
    pub entries: &'j [Entry],
    pub place: R::Place,
    pub problems: &'p mut R,
    /// The keys that were asked for.
    pub known: Vec<&'static str>,
}

impl<'j, 'p, R: Report> ObjectReader<'j, 'p, R> {
    pub fn new(entries: &'j [Entry], place: R::Place, problems: &'p mut R) -> Self {
        Self { entries, place, problems, known: Vec::new() }
    }

    /// The reader of the object at `field` of the object at `place`; any other value is reported.
    pub fn of(
        value: Option<&'j Json>,
        place: &R::Place,
        field: FieldPath,
        problems: &'p mut R,
    ) -> Option<Self> {
        if let Some(Json::Object(entries)) = value {
            return Some(Self::new(entries, place.child(field), problems));
        }
        let expected = "an object".into();
        problems.report(place, field, Fault::Wrong { expected, found: value });
        None
    }

    /// The value of a key that must be there.
    pub fn required<T>(&mut self, name: &'static str, leaf: Leaf<T>) -> Option<T> {
        let value = self.entry(name);
        self.read(FieldPath::Named(name), value, &leaf)
    }

    pub fn optional<T>(&mut self, name: &'static str, leaf: Leaf<T>) -> Option<T> {
        let value = self.set_entry(name)?;
        self.read(FieldPath::Named(name), Some(value), &leaf)
    }

    /// The value of a key, or `default` if it is not set.
    pub fn or<T>(&mut self, name: &'static str, leaf: Leaf<T>, default: T) -> T {
        self.optional(name, leaf).unwrap_or(default)
    }

    /// The items that `leaf` accepts, or `None` if the key is not set.
    pub fn items<T>(&mut self, name: &'static str, leaf: Leaf<T>) -> Option<Vec<T>> {
        let items = self.array(name)?;
        Some(self.items_of(name, items, leaf))
    }

    /// The same for the array of a key that was read.
    pub fn items_of<T>(&mut self, name: &'static str, items: &[Json], leaf: Leaf<T>) -> Vec<T> {
        let read = items.iter().enumerate().filter_map(|(position, item)| {
            self.read(FieldPath::Item(name, position), Some(item), &leaf)
        });
        read.collect()
    }

    pub fn array(&mut self, name: &'static str) -> Option<&'j [Json]> {
        let value = self.set_entry(name)?;
        self.array_of(name, Some(value))
    }

    pub fn required_array(&mut self, name: &'static str) -> Option<&'j [Json]> {
        let value = self.entry(name);
        self.array_of(name, value)
    }

    /// The object at a key that is set.
    pub fn object(&mut self, name: &'static str) -> Option<ObjectReader<'j, '_, R>> {
        let value = self.set_entry(name)?;
        ObjectReader::of(Some(value), &self.place, FieldPath::Named(name), self.problems)
    }

    /// The objects that `read` accepts, of the array of a key that was read.
    pub fn objects_of<T>(
        &mut self,
        name: &'static str,
        items: &'j [Json],
        read: impl Fn(ObjectReader<'j, '_, R>) -> Option<T>,
    ) -> Vec<T> {
        let read = items.iter().enumerate().filter_map(|(position, item)| {
            let field = FieldPath::Item(name, position);
            read(ObjectReader::of(Some(item), &self.place, field, self.problems)?)
        });
        read.collect()
    }

    /// The value of a key, `null` included.
    pub fn entry(&mut self, name: &'static str) -> Option<&'j Json> {
        self.known.push(name);
        let mut named = self.entries.iter().filter(|(key, _)| key == name);
        let first = named.next();
        let others = named.count();
        if others > 0 {
            self.report(FieldPath::Named(name), Fault::Repeated { times: others + 1 });
        }
        first.map(|(_, value)| value)
    }

    /// The value of a key; `null` means "not set".
    pub fn set_entry(&mut self, name: &'static str) -> Option<&'j Json> {
        self.entry(name).filter(|value| !matches!(value, Json::Null))
    }

    fn report(&mut self, field: FieldPath, fault: Fault<'_>) {
        self.problems.report(&self.place, field, fault);
    }

    /// What `leaf` makes of the value at `field`, which is `None` if it is missing.
    pub fn read<T>(&mut self, field: FieldPath, value: Option<&Json>, leaf: &Leaf<T>) -> Option<T> {
        let read = value.and_then(leaf.read);
        if read.is_none() {
            self.report(field, Fault::Wrong { expected: leaf.expected.clone(), found: value });
        }
        read
    }

    fn array_of(&mut self, name: &'static str, value: Option<&'j Json>) -> Option<&'j [Json]> {
        if let Some(Json::Array(items)) = value {
            return Some(items);
        }
        let fault = Fault::Wrong { expected: R::ARRAY.into(), found: value };
        self.report(FieldPath::Named(name), fault);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BOOL, TEXT};

    #[derive(Debug, Default)]
    struct Path(String);

    impl Place for Path {
        fn child(&self, field: FieldPath) -> Self {
            Self(format!("{}/{field}", self.0))
        }
    }

    #[derive(Debug, Default)]
    struct Texts(Vec<String>);

    impl Report for Texts {
        type Place = Path;

        fn report(&mut self, place: &Path, field: FieldPath, fault: Fault<'_>) {
            let what = match fault {
                Fault::Wrong { expected, found: Some(found) } => format!("{expected}, not {found}"),
                Fault::Wrong { expected, found: None } => format!("{expected}, not nothing"),
                Fault::Repeated { times } => format!("{times} times"),
            };
            self.0.push(format!("{}: {what}", place.child(field).0));
        }
    }

    #[test]
    fn one_pass_reports_every_problem_and_keeps_the_rest() {
        let text = r#"{"a": 1, "a": 2, "n": null, "l": ["x", 3], "o": {"b": 0}, "os": [{}, 5]}"#;
        let json: Json = serde_json::from_str(text).unwrap();
        let mut problems = Texts::default();
        let mut keys = ObjectReader::new(json.entries(), Path::default(), &mut problems);
        assert_eq!(keys.required("a", TEXT), None);
        assert_eq!(keys.required("n", TEXT), None);
        assert_eq!(keys.required("m", TEXT), None);
        assert_eq!(keys.optional("n", TEXT), None);
        assert_eq!(keys.items("l", TEXT).unwrap(), ["x"]);
        assert_eq!(keys.items("n", TEXT), None);
        assert!(keys.required_array("o").is_none());
        let mut inner = keys.object("o").unwrap();
        assert_eq!(inner.optional("b", BOOL), None);
        let objects = keys.array("os").unwrap();
        assert_eq!(keys.objects_of("os", objects, |object| Some(object.place.0)), ["/os[0]"]);
        assert_eq!(
            problems.0,
            [
                "/a: 2 times",
                "/a: a string, not 1",
                "/n: a string, not null",
                "/m: a string, not nothing",
                "/l[1]: a string, not 3",
                "/o: an array, not {\"b\": 0}",
                "/o/b: true or false, not 0",
                "/os[1]: an object, not 5",
            ]
        );
    }

    #[test]
    fn a_value_is_the_default_unless_its_key_is_set() {
        let json: Json = serde_json::from_str(r#"{"a": "x", "n": null, "l": ["y"]}"#).unwrap();
        let mut problems = Texts::default();
        let mut keys = ObjectReader::new(json.entries(), Path::default(), &mut problems);
        let [given, default] = ["a", "n"].map(|key| keys.or(key, TEXT, "default".into()));
        assert_eq!((given.as_str(), default.as_str()), ("x", "default"));
        assert_eq!(keys.items("l", TEXT), Some(vec!["y".into()]));
        assert_eq!(keys.known, ["a", "n", "l"]);
    }
}
