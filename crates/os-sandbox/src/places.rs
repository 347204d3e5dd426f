//! Paths in the home that matter to a sandbox, with `~` for the home. In a list, each language starts on a new line.

/// Caches of package managers. Narrow folders: their siblings are on the PATH or run by the next build
/// (`~/.cargo/bin`, `~/.gradle/init.d`). Missing ones are skipped and cannot be created from inside.
pub(crate) const PACKAGE_CACHES: &str = "
    ~/.cargo/registry ~/.cargo/git ~/.cargo/.package-cache ~/.cargo/.package-cache-mutate ~/.cargo/.global-cache
    ~/.npm/_cacache ~/.npm/_logs ~/.npm/_npx ~/.cache/yarn ~/.yarn/berry/cache ~/.cache/pnpm ~/.local/share/pnpm/store
    ~/.bun/install/cache ~/.cache/deno ~/.cache/node-gyp
    ~/.cache/pip ~/.cache/uv ~/.cache/pypoetry
    ~/go/pkg ~/.cache/go-build ~/.cache/golangci-lint
    ~/.m2/repository ~/.gradle/caches ~/.gradle/daemon ~/.gradle/native ~/.gradle/notifications
    ~/.gradle/wrapper/dists
    ~/.bundle/cache ~/.cache/composer ~/.nuget/packages ~/.cache/rebar3 ~/.hex/packages ~/.pub-cache/hosted
    ~/Library/Caches/Yarn ~/Library/Caches/pnpm ~/Library/pnpm/store ~/Library/Caches/deno ~/Library/Caches/pip
    ~/Library/Caches/pypoetry ~/Library/Caches/go-build ~/Library/Caches/golangci-lint
";

/// Credentials that neither builds nor commits need; the runner pushes from outside the sandbox. Files that
/// hold a registry's address beside its token (`~/.npmrc`, `~/.m2/settings.xml`) are missing, because builds read them.
pub(crate) const CREDENTIAL_FILES: &str = "
    ~/.docker/config.json ~/.netrc ~/.git-credentials ~/.config/git/credentials ~/.cargo/credentials.toml ~/.pypirc
    ~/.gem/credentials ~/.terraform.d/credentials.tfrc.json ~/.claude/.credentials.json
";

pub(crate) const CREDENTIAL_FOLDERS: &str = "
    ~/.ssh ~/.gnupg ~/.aws ~/.azure ~/.config/gcloud ~/.kube ~/.config/gh ~/.config/glab-cli ~/.codex
    ~/.password-store ~/.local/share/keyrings ~/.mozilla ~/.config/google-chrome ~/.config/chromium
    ~/Library/Keychains
";

/// Hosts that serve published packages, which builds need. Hosts with public uploads (code hosting, upload
/// servers of registries, object stores) are missing, because a secret could leave through them.
pub const PACKAGE_HOSTS: &str = "
    index.crates.io static.crates.io static.rust-lang.org
    registry.npmjs.org registry.yarnpkg.com repo.yarnpkg.com nodejs.org jsr.io npm.jsr.io
    pypi.org files.pythonhosted.org
    proxy.golang.org sum.golang.org
    repo.maven.apache.org repo1.maven.org plugins.gradle.org plugins-artifacts.gradle.org services.gradle.org
    downloads.gradle.org
    rubygems.org index.rubygems.org
    repo.packagist.org
    api.nuget.org globalcdn.nuget.org
    repo.hex.pm builds.hex.pm
    pub.dev pub.dartlang.org
";
