//! Quotes, variables, braces, patterns and arithmetic.

use shell_analysis::{Piece, Unknown, glob};

use crate::support::{ends_with, read_text};

#[test]
fn quotes_are_taken_off() {
    for script in [
        "rm -rf /",
        "r''m -rf /",
        "r\"\"m '-rf' \"/\"",
        "r\\m -r\\f \\/",
        "'rm' -rf /",
        "rm \\\n -rf /",
    ] {
        ends_with(script, "rm -rf /");
    }
    ends_with("echo 'a  b' \"c  d\" e\\ f", "echo <a  b> <c  d> <e f>");
    ends_with("echo \"\\$x \\a \\\" \\\\\"", "echo <$x \\a \" \\>");
    ends_with("echo '' \"\"", "echo <> <>");
}

#[test]
fn ansi_quotes_are_decoded() {
    ends_with(r"$'\x72\x6d' $'-\162\146' $'\u002f'", "rm -rf /");
    ends_with(r"echo $'a\tb' $'it\'s' $'\e[0m'", "echo a\tb it's \u{1b}[0m");
    ends_with("echo $\"hello\"", "echo hello");
}

#[test]
fn other_alphabets_survive() {
    ends_with("echo «héllo» 日本語 '🦀'", "echo «héllo» 日本語 🦀");
}

#[test]
fn variables_of_the_text_are_filled_in() {
    ends_with("x=rm; $x -rf /", "rm -rf /");
    ends_with("x='rm -rf'; $x \"/\"", "rm -rf /");
    ends_with("x='a b'; echo \"$x\" $x", "echo <a b> a b");
    ends_with("a=r b=m; $a$b x; ${a}${b} y", "rm y");
    ends_with("x=; r${x}m -rf /", "rm -rf /");
    ends_with("x=y; unset x; r${x}m -rf /", "rm -rf /");
    ends_with("x=a; x+=b; echo $x", "echo ab");
    ends_with("export X=rm; readonly Y='-rf /'; $X $Y", "rm -rf /");
    ends_with("IFS=,; x=rm,-rf,/; $x", "rm -rf /");
    ends_with("rm${IFS}-rf${IFS}/", "rm -rf /");
    ends_with("printf -v x 'r%s' m; $x /", "rm /");
    ends_with("read x y <<< 'rm -rf /'; $x $y", "rm -rf /");
    ends_with("declare -a a=(rm '-rf x' /); \"${a[@]}\"", "rm <-rf x> /");
}

#[test]
fn a_variable_that_the_text_does_not_set_is_unknown() {
    let analysis = read_text("r${x}m -rf \"$TARGET\"");
    let words = &analysis.invocations[0].words;
    let x = Piece::Unknown(Unknown::Variable("x".into()));
    assert_eq!(words[0].pieces, [Piece::Text("r".into()), x, Piece::Text("m".into())]);
    assert_eq!(words[2].pieces, [Piece::Unknown(Unknown::Variable("TARGET".into()))]);
}

#[test]
fn values_are_cut_and_changed() {
    for (operation, value) in [
        ("${x#*/}", "b/c.tar.gz"),
        ("${x##*/}", "c.tar.gz"),
        ("${x%.*}", "a/b/c.tar"),
        ("${x%%.*}", "a/b/c"),
        ("${x:2:3}", "b/c"),
        ("${x: -2}", "gz"),
        ("${#x}", "12"),
        ("${y:-d}", "d"),
        ("${x:-d}", "a/b/c.tar.gz"),
        ("${x:+yes}", "yes"),
        ("${y:=e}$y", "ee"),
        ("${!z}", "a/b/c.tar.gz"),
    ] {
        ends_with(&format!("x=a/b/c.tar.gz; y=; z=x; echo {operation}"), &format!("echo {value}"));
    }
    ends_with("${HOME:0:1}bin${HOME:0:1}rm", "/bin/rm");
    ends_with("cat ${PATH:0:1}etc", "cat /etc");
}

#[test]
fn arrays_are_known_by_their_keys() {
    ends_with("a=(x rm z); ${a[1]} ${#a[@]} ${a[-1]}", "rm 3 ${a}");
    ends_with("declare -A m=([k]=rm); m[j]=ls; ${m[k]} ${m[j]}", "rm ls");
    ends_with("a=(b c d); echo \"${a[@]:1}\" \"${a[*]}\"", "echo c d <b c d>");
    ends_with("a=(x); a+=(y z); echo ${a[@]}", "echo x y z");
}

#[test]
fn braces_make_words() {
    ends_with("echo a{b,c}d{e,f} x{1..3}", "echo abde abdf acde acdf x*");
    ends_with("{rm,-rf,/}", "rm -rf /");
    ends_with("echo {a,{b,c}} {} {x} \"{a,b}\"", "echo a b c {} {x} {a,b}");
}

#[test]
fn home_and_folder_are_known() {
    ends_with("ls ~ ~/x $HOME/y \"$PWD\" '~'", "ls /home/me /home/me/x /home/me/y /project ~");
    ends_with("dd of=~/x a~ --b=~", "dd of=/home/me/x a~ --b=~");
}

#[test]
fn patterns_are_marked_as_such() {
    let analysis = read_text("rm *.txt 'a*' b? [ab]");
    let globs: Vec<bool> =
        analysis.invocations[0].words.iter().map(shell_analysis::Word::has_glob).collect();
    assert_eq!(globs, [false, true, false, true, true]);
    let loops = read_text("for f in *.log; do rm \"$f\"; done; x='*'; rm $x \"$x\"");
    assert!(loops.invocations[0].words[1].has_glob());
    let last = &loops.invocations[2].words;
    assert!(last[1].has_glob() && !last[2].has_glob());
}

#[test]
fn patterns_match_whole_texts() {
    for (pattern, text) in
        [("*.t?t", "a.txt"), ("[a-c]x", "bx"), ("[!a]x", "bx"), ("a (*)", "a (b)"), ("[[]", "[")]
    {
        assert!(glob(pattern, text), "{pattern} {text}");
    }
    for (pattern, text) in [("*.txt", "a.txt2"), ("[!b]x", "bx"), ("?", "ab"), ("[a", "a")] {
        assert!(!glob(pattern, text), "{pattern} {text}");
    }
    ends_with("x=a*b; echo ${x#a'*'} ${x#a*} ${x##*} ${x%[*]b}", "echo b *b a");
}

#[test]
fn arithmetic_is_not_computed_but_its_substitutions_are_analyzed() {
    let analysis = read_text("echo $((RANDOM % $(date +%s)))");
    assert_eq!(analysis.invocations[0].program().as_deref(), Some("date"));
    assert_eq!(analysis.invocations[1].words[1].text(), None);
}

#[test]
fn arguments_reach_their_text() {
    ends_with("sh -c '\"$0\" \"$@\"' rm -rf /", "rm -rf /");
    ends_with("set -- rm -rf /; \"$@\"", "rm -rf /");
    ends_with("set -- a rm b; shift; $1 $2 $#", "rm b 2");
    ends_with("f() { $1 \"${@:2}\"; }; f rm -rf /", "rm -rf /");
}
