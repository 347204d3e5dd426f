//! Filters the runner's environment variables for a process tree.

use std::ffi::OsString;

/// Variables of build tools and tests without secrets.
const NAMES: &str = "
    AR ARFLAGS AWS_CA_BUNDLE AS CC CFLAGS CI CLASSPATH COLORTERM COLUMNS CPATH CPP CPPFLAGS CURL_CA_BUNDLE CXX CXXFLAGS
    DEBIAN_FRONTEND DENO_DIR DOTNET_ROOT FORCE_COLOR FFLAGS GEM_HOME GEM_PATH GIT_CEILING_DIRECTORIES
    GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_CONFIG_SYSTEM GIT_SSL_CAINFO GOPATH GOROOT HOME HOSTNAME INCLUDE JAVA_HOME
    JAVA_OPTS JAVA_TOOL_OPTIONS LANG LANGUAGE LD LDFLAGS LD_LIBRARY_PATH LIBRARY_PATH LINES LOGNAME MAKEFLAGS
    MAVEN_OPTS NO_COLOR OPAMROOT PATH PERL5LIB PWD RANLIB REQUESTS_CA_BUNDLE RUBYLIB RUBYOPT SHELL SHLVL
    SOURCE_DATE_EPOCH STRIP TERM TZ USER VIRTUAL_ENV VOLTA_HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
";

/// User preferences, independent of the machine.
const OF_PEOPLE: &str = "CI COLORTERM FORCE_COLOR LANG LANGUAGE NO_COLOR SOURCE_DATE_EPOCH TERM TZ";

/// Prefixes of more variables; a name that suggests a secret is still removed.
const BEGINNINGS: &str = "
    ASDF_ BUNDLE_ BUN_ CARGO_ CCACHE_ CGO_ CMAKE_ CONDA_ DOTNET_ FNM_ GO GRADLE_ GIT_AUTHOR_ GIT_COMMITTER_
    JEST_ LC_ LLVM_ MISE_ MIX_ NIX_ NODE_ NPM_CONFIG_ NVM_ PIP_ PKG_CONFIG PLAYWRIGHT_ PNPM_ POETRY_ PUPPETEER_
    PYENV_ PYTEST_ PYTHON RBENV_ RUST SCCACHE_ SDKMAN_ SSL_CERT_ UV_ npm_config_
";

/// Proxies, which some networks need for every connection.
const PROXIES: &str = "
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
";

/// Numbered variables with git settings: git fails if one of them is missing.
const GIT_SETTINGS: [&str; 3] = ["GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];

/// Parts of git setting names that hold a password or name a program that does.
const GIT_SECRETS: [&str; 5] = ["extraheader", "credential", "token", "password", "askpass"];

/// Replacements for git settings in the environment that hold a secret.
pub fn withheld_git_settings(variables: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let text = |name: &str| {
        let found = variables.iter().find(|(each, _)| each == name);
        found.map(|(_, value)| value.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let secret = variables.iter().filter_map(|(name, key)| {
        let number = name.to_str()?.strip_prefix(GIT_SETTINGS[1])?;
        let (key, value) =
            (key.to_string_lossy().to_lowercase(), format!("GIT_CONFIG_VALUE_{number}"));
        let is_secret = GIT_SECRETS.iter().any(|sign| key.contains(sign))
            || has_login(&key)
            || has_login(&text(&value));
        is_secret.then(|| [(name.clone(), "ralph.withheld".into()), (value.into(), "".into())])
    });
    secret.flatten().collect()
}

/// The same for a container, whose image has its own tools and folders.
pub fn passes_to_image(name: &str, value: &str, allowed: &[String]) -> bool {
    is_allowed(name, allowed)
        || is_in(OF_PEOPLE, name)
        || name.starts_with("LC_")
        || is_proxy(name, value)
        || is_git(name)
}

/// `allowed` are the user's additions: names, or prefixes that end with `*`. `value` matters for proxies: one
/// with a password is removed.
pub fn passes(name: &str, value: &str, allowed: &[String]) -> bool {
    let begins = || BEGINNINGS.split_whitespace().any(|beginning| name.starts_with(beginning));
    is_allowed(name, allowed)
        || is_in(NAMES, name)
        || is_proxy(name, value)
        || is_git(name)
        || (begins() && !suggests_secret(name, value))
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|each| each == name)
}

fn is_git(name: &str) -> bool {
    GIT_SETTINGS.iter().any(|beginning| name.starts_with(beginning))
}

fn is_proxy(name: &str, value: &str) -> bool {
    is_in(PROXIES, name) && !value.contains('@')
}

fn is_allowed(name: &str, allowed: &[String]) -> bool {
    allowed.iter().any(|allowed| match allowed.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == allowed,
    })
}

fn suggests_secret(name: &str, value: &str) -> bool {
    const SIGNS: [&str; 8] =
        ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "_KEY", "PASSPHRASE"];
    let name = name.to_uppercase();
    let is_author = name.starts_with("GIT_AUTHOR_");
    !is_author && SIGNS.iter().any(|sign| name.contains(sign)) || has_login(value)
}

/// An address with a user name and a password.
fn has_login(value: &str) -> bool {
    let host = |rest: &str| rest.split('/').next().is_some_and(|host| host.contains('@'));
    value.split("://").skip(1).any(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passing(variables: &[(&'static str, &str)], allowed: &[&str]) -> Vec<&'static str> {
        let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        let passing = variables.iter().filter(|(name, value)| passes(name, value, &allowed));
        passing.map(|(name, _)| *name).collect()
    }

    #[test]
    fn tool_variables_pass_and_secrets_do_not() {
        let tools =
            [("PATH", "/bin"), ("LC_ALL", "C"), ("CARGO_BUILD_JOBS", "2"), ("GOFLAGS", "-v")];
        assert_eq!(passing(&tools, &[]), tools.map(|(name, _)| name));
        let author = [("GIT_AUTHOR_NAME", "me")];
        assert_eq!(passing(&author, &[]), ["GIT_AUTHOR_NAME"]);
        let secrets = [
            ("ANTHROPIC_API_KEY", "x"),
            ("AWS_PROFILE", "x"),
            ("CARGO_REGISTRY_TOKEN", "x"),
            ("CARGO_REGISTRIES_MINE_TOKEN", "x"),
            ("NODE_AUTH_TOKEN", "x"),
            ("NPM_CONFIG__AUTH", "x"),
            ("UV_INDEX_MINE_PASSWORD", "x"),
            ("PIP_INDEX_URL", "https://me:1234@example.com/simple"),
            ("GOPROXY", "https://me:1234@example.com"),
            ("SSH_AUTH_SOCK", "/x"),
            ("DATABASE_URL", "x"),
        ];
        assert_eq!(passing(&secrets, &[]), [""; 0]);
    }

    #[test]
    fn settings_of_git_are_all_there_without_their_secrets() {
        let set = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let variables = [
            set("GIT_CONFIG_COUNT", "3"),
            set("GIT_CONFIG_KEY_0", "core.autocrlf"),
            set("GIT_CONFIG_VALUE_0", "false"),
            set("GIT_CONFIG_KEY_1", "http.https://example.com/.extraHeader"),
            set("GIT_CONFIG_VALUE_1", "Authorization: Basic x"),
            set("GIT_CONFIG_KEY_2", "url.https://me:1234@example.com/.insteadOf"),
            set("GIT_CONFIG_VALUE_2", "https://example.com/"),
        ];
        assert!(variables.iter().all(|(name, _)| passes(name.to_str().unwrap(), "x", &[])));
        let withheld = withheld_git_settings(&variables);
        let expected = [
            set("GIT_CONFIG_KEY_1", "ralph.withheld"),
            set("GIT_CONFIG_VALUE_1", ""),
            set("GIT_CONFIG_KEY_2", "ralph.withheld"),
            set("GIT_CONFIG_VALUE_2", ""),
        ];
        assert_eq!(withheld, expected);
    }

    #[test]
    fn a_proxy_passes_without_a_password_alone() {
        assert!(passes("HTTPS_PROXY", "http://proxy.example.com:3128", &[]));
        assert!(!passes("HTTPS_PROXY", "http://me:1234@proxy.example.com:3128", &[]));
    }

    #[test]
    fn an_image_gets_no_folders_of_this_machine() {
        let allowed = ["ANTHROPIC_API_KEY".to_owned()];
        for name in ["LANG", "LC_ALL", "TZ", "ANTHROPIC_API_KEY"] {
            assert!(passes_to_image(name, "x", &allowed), "{name}");
        }
        for name in ["PATH", "HOME", "CARGO_HOME", "NODE_PATH", "OPENAI_API_KEY"] {
            assert!(!passes_to_image(name, "x", &allowed), "{name}");
        }
    }

    #[test]
    fn the_user_adds_names_and_beginnings() {
        let variables = [("DATABASE_URL", "x"), ("SHOP_A", "x"), ("SHOPPING", "x")];
        assert_eq!(passing(&variables, &["DATABASE_URL"]), ["DATABASE_URL"]);
        assert_eq!(passing(&variables, &["SHOP_*"]), ["SHOP_A"]);
    }
}
