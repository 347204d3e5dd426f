//! Harm to the machine and to the loop.

use command_guard::Category;

use crate::table;

#[test]
fn folders_are_deleted_only_where_it_is_known_and_inside() {
    table(
        Category::RecursiveDelete,
        &[
            "rm -rf /",
            "rm -r ~",
            "rm --recursive ..",
            "rm -rf \"$X\"",
            "rm -rf *",
            "rm -rf .git",
            "cd / && rm -rf *",
            "find ~ -delete",
            "find . -delete",
            "mv src /dev/null",
            "git -C ~ clean -fd",
            "rm -rf /tmp/../etc",
            "rm -rf ./$X",
            "d=$(mktemp -d); rm -rf \"$d/../../etc\"",
            "ls | xargs rm -rf",
        ],
        &[
            "rm -rf target dist/*",
            "rm -rf \"$TMPDIR/x\"",
            "d=$(mktemp -d); rm -rf \"$d\"",
            "find . -name '*.pyc' -delete",
            "rm -rf \"build/$X\"",
            "git clean -fd",
            "trap 'rm -rf \"$d\"' EXIT; d=$(mktemp -d)",
            "ls | grep tmp | xargs rm -rf",
            "rm -f .git/index.lock",
            "cd \"$(git rev-parse --show-toplevel)\" && rm -rf dist",
        ],
    );
}

#[test]
fn disks_are_the_users() {
    table(
        Category::DiskTools,
        &[
            "dd if=/dev/zero of=/dev/sda",
            "mkfs.ext4 /dev/sda1",
            "echo x > /dev/sda",
            "wipefs -a /dev/sda",
            "umount /mnt",
            "diskutil eraseDisk x",
        ],
        &["dd if=/dev/zero of=a bs=1M count=1", "echo x > /dev/null", "fdisk -l", "df -h"],
    );
}

#[test]
fn modes_are_changed_inside_the_project_only() {
    table(
        Category::PermissionSweep,
        &[
            "chmod -R 755 /",
            "chown -R x ~",
            "chmod -R 777 .",
            "find / -exec chmod 777 {} +",
            "chmod 644 /etc/hosts",
        ],
        &["chmod +x a.sh", "chmod -R u+rwX build", "chmod -x a.sh"],
    );
    table(
        Category::PrivilegeEscalation,
        &[
            "sudo ls",
            "su -c id",
            "chmod u+s a",
            "chmod 4755 a",
            "usermod -aG docker x",
            "echo x >> /etc/sudoers",
        ],
        &["echo sudo", "grep sudo README.md"],
    );
}

#[test]
fn the_machine_must_not_be_changed() {
    table(
        Category::ServiceControl,
        &[
            "systemctl stop x",
            "reboot",
            "iptables -F",
            "kill -9 -1",
            "pkill -u user",
            "sysctl -w a=1",
        ],
        &[
            "systemctl status x",
            "kill %1",
            "kill $PID",
            "kill -9 $(lsof -t -i:3000)",
            "pkill -f vite",
        ],
    );
    table(
        Category::Persistence,
        &[
            "crontab a",
            "echo x | at now",
            "echo x >> ~/.bashrc",
            "cp a .git/hooks/pre-commit",
            "git config core.hooksPath h",
            "git config --global a.b c",
            "echo k >> ~/.ssh/authorized_keys",
        ],
        &["crontab -l", "git config user.name x", "npx husky init", "cat ~/.bashrc"],
    );
    table(
        Category::ResourceExhaustion,
        &[
            ":(){ :|:& };:",
            "yes > a",
            "cat /dev/zero > a",
            "fallocate -l 10T a",
            "while :; do sleep 9 & done",
            "echo {1..999999999}",
            "perl -e 'fork while 1'",
        ],
        &[
            "yes | head",
            "while true; do sleep 1; date >> log; done",
            "head -c 1M /dev/urandom > a",
            "echo {1..100}",
        ],
    );
    table(
        Category::WriteOutside,
        &[
            "touch ~/a",
            "echo x > ../a",
            "cp a /usr/local/bin",
            "sed -i s/a/b/ /etc/hosts",
            "ln -s /etc a",
            "git clone x ~/x",
            "tar xf a -C /",
            "curl -o ~/a x.example",
            "apt-get install x",
            "git -C ../other commit -m x",
            "awk '{print > \"/etc/x\"}' a",
        ],
        &[
            "touch a /tmp/b",
            "cp /etc/hosts a",
            "tar xf a -C b",
            "ln -s ../a b/c",
            "echo x 2> /dev/null",
            "cargo install x",
            "npm i -g x",
        ],
    );
}

#[test]
fn the_agent_must_not_change_the_loop() {
    table(
        Category::LoopTampering,
        &[
            "rm .ralph-active",
            "rm -f .ral*",
            "echo > .ralph/x",
            "mv .ralph a",
            "rm -rf .claude",
            "tee .claude/settings.json < a",
            "sed -i s/a/b/ ralph/prd.md",
            "ralph-loop",
            "ralph-loop run",
            "ralph-loop run -V",
            "ralph-loop steer approve it",
            "ralph-loop steer -- -h",
            "ralph-loop pause",
            "ralph-loop answer US-003 approve it",
            "ralph-loop go-on",
            "ralph-loop skip US-003",
            "ralph-loop stop",
            "ralph-loop watch",
            "ralph-loop serve --allow-orders",
            "echo '{}' > .ralph/orders/1.json",
            "rm -r .ralph/orders",
            "pkill -f ralph",
            "kill $PPID",
            "unset RALPH_RUN_ID",
            "env -u RALPH_RUN_ID claude",
            "env -i claude -p x",
            "claude --bare",
            "claude mcp add x",
            "git clean -fdx",
            "python3 -c \"open('.ralph-active','w')\"",
            "echo x > .RALPH-active",
            "git update-index --skip-worktree a",
        ],
        &[
            "cat .ralph-active",
            "ralph-loop status",
            "ralph-loop steer --help",
            "ls .ralph/orders",
            "echo x >> ralph/progress.txt",
            "echo x > CLAUDE.md",
            "echo x > .claude/skills/a.md",
            "git clean -fdx -e .ralph",
            "echo $RALPH_RUN_ID",
        ],
    );
}

#[test]
fn unparsable_commands_are_refused() {
    table(
        Category::HiddenCode,
        &[
            "eval \"$X\"",
            "bash -c \"$X\"",
            "base64 -d a | sh",
            "$X -rf /",
            "$X --run",
            "LD_PRELOAD=./a.so ls",
            "python3 -c \"exec(__import__('base64').b64decode('eA=='))\"",
            "git log -1 | sh",
            "echo $(",
            &"cat|".repeat(200),
        ],
        &[
            "eval \"$(ssh-agent)\"",
            "\"$PYTHON\" -m pytest",
            "source .venv/bin/activate",
            "python3 -c \"print('rm -rf /')\"",
            "git commit -m 'rm -rf /'",
            "grep 'curl x | sh' .",
        ],
    );
}
