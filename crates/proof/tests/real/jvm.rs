//! JUnit through gradle and maven, with the plugins and libraries that Debian installs.

use proof::Framework;

use crate::project::Shows::{NotCollected, Passed, Skipped};
use crate::project::{ASSERTION, BROKEN, MISSING, OTHER, Project};

const CALC: (&str, &str) = (
    "src/main/java/com/x/Calc.java",
    "package com.x;
public class Calc {
  public static int add(int a, int b) { return a + b; }
}
",
);
const TEST: &str = "src/test/java/com/x/CalcTest.java";
const OTHER_TEST: (&str, &str) = (
    "src/test/java/com/x/OtherTest.java",
    "package com.x;
public class OtherTest {
  @org.junit.Test public void passes() { }
}
",
);
const GRADLE: (&str, &str) = (
    "build.gradle",
    "apply plugin: 'java'
dependencies { testImplementation files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest.jar') }
",
);
const MAVEN: (&str, &str) = (
    "pom.xml",
    "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>
<groupId>com.x</groupId><artifactId>p</artifactId><version>1</version>
<properties>
<maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
</properties>
<dependencies><dependency>
<groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope>
</dependency></dependencies>
<build><plugins>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
</plugins></build></project>
",
);

fn class(methods: &str) -> String {
    format!(
        "package com.x;\nimport static org.junit.Assert.*;\nimport org.junit.*;\npublic class CalcTest {{\n{methods}}}\n"
    )
}

fn show_results(project: &Project) {
    project.write(
        TEST,
        &class(
            "  @Test public void passes() { assertEquals(3, Calc.add(1, 2)); }
  @Test public void fails() { assertEquals(4, Calc.add(1, 2)); }
  @Test @Ignore(\"later\") public void skipped() { }
  @Test public void crash() { throw new IllegalStateException(\"boom\"); }
",
        ),
    );
    project.shows(&[
        (TEST, "passes", Passed),
        (TEST, "CalcTest.passes", Passed),
        (TEST, "fails", ASSERTION),
        (TEST, "skipped", Skipped),
        (TEST, "crash", OTHER),
        (TEST, "nope", NotCollected),
        (OTHER_TEST.0, "passes", Passed),
    ]);
    project.write(
        TEST,
        &class("  @Test public void multiplies() { assertEquals(6, Calc.multiply(2, 3)); }\n"),
    );
    project.shows(&[(TEST, "multiplies", MISSING)]);
    project.write(TEST, &class("  @Test public void broken() { int a = 1 }\n"));
    project.shows(&[(TEST, "broken", BROKEN)]);
    project.write(TEST, &class("  @Test public void exits() { System.exit(0); }\n"));
    project.shows(&[(TEST, "exits", NotCollected)]);
}

#[test]
#[ignore = "needs gradle and junit4"]
fn gradle_results() {
    show_results(&Project::new(Framework::Gradle, &[GRADLE, CALC, OTHER_TEST]));
}

#[test]
#[ignore = "needs maven, libsurefire-java, libmaven-resources-plugin-java and junit4"]
fn maven_results() {
    let offline = (".mvn/maven.config", "-o\n-Dmaven.repo.local=/usr/share/maven-repo\n");
    show_results(&Project::new(Framework::Maven, &[MAVEN, offline, CALC, OTHER_TEST]));
}
