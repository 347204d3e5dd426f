//! Java and Kotlin: Gradle or Maven checks, through the project's wrapper if it has one.

use super::Detection;
use crate::scaffold::root_files::RootFiles;

const GRADLE: [&str; 4] =
    ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

pub(super) fn detect(files: &RootFiles, found: &mut Detection) {
    if let Some(source) = files.first_of(&GRADLE) {
        let program = if files.has("gradlew") { "./gradlew" } else { "gradle" };
        found.add(format!("{program} check"), source);
    }
    if files.has("pom.xml") {
        let program = if files.has("mvnw") { "./mvnw" } else { "mvn" };
        found.add(format!("{program} --batch-mode test"), "pom.xml");
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::commands;

    #[test]
    fn the_wrapper_of_the_project_is_used() {
        assert_eq!(commands(&[("build.gradle.kts", "")]), ["gradle check"]);
        assert_eq!(commands(&[("build.gradle", ""), ("gradlew", "")]), ["./gradlew check"]);
        assert_eq!(commands(&[("pom.xml", "")]), ["mvn --batch-mode test"]);
        assert_eq!(commands(&[("pom.xml", ""), ("mvnw", "")]), ["./mvnw --batch-mode test"]);
    }
}
