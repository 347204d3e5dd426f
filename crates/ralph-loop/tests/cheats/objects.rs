//! Git objects whose content does not match their name: git shows other content than the commit
//! has.

use predicates::str::contains;
use test_repo::assert_text;

use crate::attack_target::{AttackTarget, CHECK, FAKE_CHECK};
use crate::other_files::CRAFT_INDEX;

/// `forge NAME CONTENT`: the loose object of that name holds this content.
const FORGE: &str = "forge() {\n\
                     new=$(printf \"$2\" | git hash-object -w --stdin)\n\
                     old=.git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-)\n\
                     chmod u+w $old && cp -f .git/objects/$(echo $new | cut -c1-2)/$(echo $new | cut -c3-) $old\n\
                     }\n";

fn escaped(text: &str) -> String {
    text.replace('\n', "\\n")
}

/// The commit holds the fake check, and git shows the good one in its place.
#[test]
fn a_check_that_git_shows_as_it_was() {
    let script = format!(
        "{FORGE}printf '{}' > check.sh && git commit -q -a -m chore\n\
         forge $(git rev-parse HEAD:check.sh) '{}'\n\
         git show HEAD:check.sh | grep -q right || exit 9\n",
        escaped(FAKE_CHECK),
        escaped(CHECK)
    );
    AttackTarget::new().attack(&script).fails_its_check("git object");
}

/// An older object is replaced: restoring a file from it would write the fake.
#[test]
fn a_check_that_comes_back_as_the_fake() {
    let script = format!(
        "{FORGE}printf '{}' > ../fake{CRAFT_INDEX}\nforge $good '{}'\n",
        escaped(FAKE_CHECK),
        escaped(FAKE_CHECK)
    );
    AttackTarget::new().attack(&script).fails_its_check("");
}

#[test]
fn a_commit_with_the_name_of_another() {
    let script = format!(
        "{FORGE}printf '{}' > check.sh && git commit -q -a -m chore\n\
         old=$(git rev-parse HEAD)\n\
         new=$(git commit-tree -p HEAD~1 -m chore HEAD~1^{{tree}})\n\
         file() {{ echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }}\n\
         chmod u+w $(file $old) && cp -f $(file $new) $(file $old)\n\
         git show HEAD:check.sh | grep -q right || exit 9\n",
        escaped(FAKE_CHECK)
    );
    AttackTarget::new().attack(&script).fails_its_check("");
}

#[test]
fn a_tree_with_the_name_of_another() {
    let script = format!(
        "{FORGE}good=$(git rev-parse HEAD^{{tree}})\n\
         printf '{}' > check.sh && git commit -q -a -m chore\n\
         bad=$(git rev-parse HEAD^{{tree}})\n\
         file() {{ echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }}\n\
         chmod u+w $(file $bad) && cp -f $(file $good) $(file $bad)\n\
         git show HEAD:check.sh | grep -q right || exit 9\n",
        escaped(FAKE_CHECK)
    );
    AttackTarget::new().attack(&script).fails_its_check("");
}

/// After the objects of the session were read, and before the reviewer reads them.
#[test]
fn a_check_that_forges_a_committed_object() {
    let target = AttackTarget::with_checks(["sh test.sh"]);
    target.project.write("test.sh", "true\n");
    test_repo::commit_all(&target.project.path());
    let forge = r#"o=$(git rev-parse HEAD:src/code.txt)
f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)
chmod u+w $f
perl -MCompress::Zlib -e 'print compress(qq(blob 6\0right\n))' > $f
"#;
    let script = format!("cat > test.sh <<'END'\n{forge}END\ngit add -A && git commit -qm tests");
    let attacked = target.attack(&script);
    let run = attacked.is_not_counted();
    assert_text(&run.stderr, contains("does not match its name"));
}

/// Eight times the same folder, in each of seven levels: few objects, more paths than the runner visits.
#[test]
fn a_commit_with_too_many_paths() {
    let script = "tree=$(git mktree </dev/null)\n\
        for level in 1 2 3 4 5 6 7; do\n\
        tree=$(for name in a b c d e f g h; do printf '040000 tree %s\\t%s\\n' $tree $name; done | git mktree)\n\
        done\n\
        tree=$( (git ls-tree HEAD; printf '040000 tree %s\\tbomb\\n' $tree) | git mktree)\n\
        git update-ref HEAD $(git commit-tree -p HEAD -m chore $tree)\n";
    let attacked = AttackTarget::new().attack(script);
    let run = attacked.is_not_counted();
    assert_text(&run.stderr, contains("too many paths"));
}
