//! A table of programs with subcommands that delete something permanently.

use crate::words::words;

/// Programs with the same destructive words.
pub(super) struct Destroyers {
    pub(super) programs: &'static [&'static str],
    /// Any of them at any position, ignoring case.
    pub(super) words: &'static [&'static str],
    pub(super) reach: Reach,
}

/// Where the destroyed resources are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Always remote.
    Elsewhere,
    /// On this machine, unless another host is named.
    NamedHost,
}

pub(super) const ALL: &[Destroyers] = &[
    Destroyers {
        programs: words!(
            "cdk cdktf sst serverless sls sam copilot eksctl kops doctl linode-cli hcloud vultr-cli
             ibmcloud oci scw nomad consul civo exo upctl openstack"
        ),
        words: words!("destroy remove delete rm deregister stop terminate delete-all"),
        reach: Reach::Elsewhere,
    },
    Destroyers {
        programs: &["velero", "argocd", "flux", "istioctl", "helmfile", "etcdctl"],
        words: &["delete", "del", "uninstall", "destroy"],
        reach: Reach::Elsewhere,
    },
    Destroyers {
        programs: &["vault"],
        words: &["delete", "destroy", "disable", "seal"],
        reach: Reach::Elsewhere,
    },
    Destroyers {
        programs: &["rclone", "s3cmd", "s5cmd", "mc"],
        words: &["rb", "rm", "del", "purge", "delete", "deletefile", "rmdirs", "cleanup"],
        reach: Reach::Elsewhere,
    },
    Destroyers {
        programs: &["gcloud", "az", "gsutil", "bq"],
        words: &["delete", "rm", "rb", "purge", "deallocate", "destroy", "reset", "shutdown"],
        reach: Reach::Elsewhere,
    },
    Destroyers {
        programs: words!(
            "heroku flyctl fly vercel now railway render wrangler supabase pscale turso neonctl
             netlify firebase amplify surge"
        ),
        words: &["destroy", "rm", "remove", "delete", "down", "teardown", "disable"],
        reach: Reach::Elsewhere,
    },
    Destroyers {
        programs: &["helm"],
        words: &["uninstall", "delete", "del", "un"],
        reach: Reach::Elsewhere,
    },
    Destroyers { programs: &["pulumi"], words: &["destroy"], reach: Reach::Elsewhere },
    Destroyers {
        programs: &["pg_restore", "mongorestore"],
        words: &["--clean", "-c", "--drop"],
        reach: Reach::NamedHost,
    },
    Destroyers {
        programs: &["redis-cli", "valkey-cli", "keydb-cli"],
        words: &["del", "unlink"],
        reach: Reach::NamedHost,
    },
    Destroyers {
        programs: words!(
            "influx rabbitmqadmin rabbitmqctl kafka-topics kafka-topics.sh kafka-configs.sh
             kafka-consumer-groups.sh kafka-delete-records.sh rpk pulsar-admin nats temporal
             curator_cli"
        ),
        words: words!(
            "delete --delete purge rm delete_queue purge_queue delete_vhost reset force_reset"
        ),
        reach: Reach::NamedHost,
    },
];
