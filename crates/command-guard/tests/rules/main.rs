//! Each kind of harm with what is refused and what is honest beside it.

mod data;
mod machine;
mod own;

use command_guard::{Category, Scene, judge_command};

fn scene() -> Scene {
    Scene {
        project: "/home/user/project".into(),
        folder: "/home/user/project".into(),
        home: Some("/home/user".into()),
        ..Scene::default()
    }
}

fn categories(command: &str, scene: &Scene) -> Vec<Category> {
    judge_command(command, scene, &|_| None).iter().map(|refusal| refusal.category).collect()
}

#[track_caller]
fn table(category: Category, refused: &[&str], honest: &[&str]) {
    for command in refused {
        let found = categories(command, &scene());
        assert!(found.contains(&category), "{command}: {found:?}");
    }
    for command in honest {
        assert_eq!(categories(command, &scene()), [], "{command}");
    }
}
