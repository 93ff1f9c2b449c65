/** Lists the commands, in the order of the help. */
import { type Command, defineCommand } from "./command.ts";

const UNENCRYPTED = { type: "boolean", help: "use a file without encryption though BACKUP_PASSPHRASE is set" } as const;

export const commands: readonly Command[] = [
  defineCommand({
    name: "dev",
    summary: "Run everything here: embedded PostgreSQL, a simulated cluster",
    usage: ["[--kubeconfig FILE]"],
    options: {
      kubeconfig: { type: "string", help: "provision on this cluster instead of the simulated one" },
    },
    load: async () => (await import("./dev.ts")).runDev,
  }),
  defineCommand({
    name: "serve",
    summary: "Run the control plane on your database and cluster",
    load: async () => (await import("./serve.ts")).runServe,
  }),
  defineCommand({
    name: "migrate",
    summary: "Bring the database up to this release, then end",
    load: async () => (await import("./migrate.ts")).runMigrate,
  }),
  defineCommand({
    name: "doctor",
    summary: "Look whether everything is there that serve and its spokes need",
    usage: [
      "[--region NAME] [--no-probe] [--json]",
      "--rbac",
      "--reconcile [--apply] [--adopt NAMESPACE] [--region NAME] [--json]",
      "--resume",
    ],
    options: {
      region: { type: "string", help: "only the cluster of this region" },
      "no-probe": { type: "boolean", help: "start no pods in a temporary namespace" },
      json: { type: "boolean", help: "JSON in place of text" },
      rbac: { type: "boolean", help: "look at nothing, but print the ClusterRoles that give what is looked for" },
      reconcile: {
        type: "boolean",
        help: "compare a restored database with what the clusters show of hubs and spokes",
      },
      apply: {
        type: "boolean",
        help: "with --reconcile: take into the database what it lacks, and let replicas go on",
      },
      adopt: {
        type: "string",
        multiple: true,
        help: "with --reconcile: take this namespace for ours, whoever has signed it; may be repeated",
      },
      resume: { type: "boolean", help: "let replicas go on with a restored database as it is, compared with nothing" },
    },
    load: async () => (await import("./doctor.ts")).runDoctor,
  }),
  defineCommand({
    name: "config",
    summary: "List the variables of the configuration, and which are set",
    load: async () => (await import("./config.ts")).runConfig,
  }),
  defineCommand({
    name: "simulate",
    summary: "Run the simulated cluster alone",
    usage: ["[--port N] [--kubeconfig FILE] [--record]"],
    options: {
      port: { type: "string", help: "port to listen on (one that is free)" },
      kubeconfig: { type: "string", help: "file to write, for KUBECONFIG of serve" },
      record: { type: "boolean", help: "keep the whole record of writes, for GET /simulator/writes and /history" },
    },
    load: async () => (await import("./simulate.ts")).runSimulate,
  }),
  defineCommand({
    name: "admin",
    summary: "Set a new password for a user, on this machine's authority",
    usage: ["reset-password EMAIL"],
    words: 2,
    first: ["reset-password"],
    load: async () => (await import("./admin.ts")).runAdmin,
  }),
  defineCommand({
    name: "restore",
    summary: "Take a spoke back to one of its backups, on this machine's authority",
    usage: [
      "SPOKE [--backup ID | --back] [--as HUB/SLUG] [--domain NAME] [--dry-run]",
      "SPOKE --list",
      "SPOKE --new-cluster [--dry-run]",
      "--all --new-cluster [--hub HUB] [--dry-run]",
    ],
    words: 1,
    options: {
      backup: { type: "string", help: "the backup to go back to (the newest that is ready)" },
      back: { type: "boolean", help: "go back to what it was before its last restore" },
      as: { type: "string", help: "of a spoke that is removed: make it under this name" },
      domain: { type: "string", help: "of a spoke that is removed: make it under this domain" },
      list: { type: "boolean", help: "show its backups, and the volumes that restores have replaced" },
      "dry-run": { type: "boolean", help: "say what would happen, and write nothing" },
      yes: { type: "boolean", help: "overwrite the site without asking" },
      "no-wait": { type: "boolean", help: "end as soon as the operation is queued" },
      "new-cluster": {
        type: "boolean",
        help: "bring back what was made in a cluster that is gone, in the one that answers",
      },
      all: { type: "boolean", help: "with --new-cluster: all hubs and spokes" },
      hub: { type: "string", help: "with --all: this hub and its spokes alone" },
    },
    load: async () => (await import("./restore.ts")).runRestore,
  }),
  defineCommand({
    name: "backup",
    summary: "Write the whole database into a file, or look whether such a file is whole",
    usage: ["FILE [--encrypt]", "--verify FILE [--allow-unencrypted]"],
    words: 1,
    options: {
      encrypt: { type: "boolean", help: "ask for a passphrase; BACKUP_PASSPHRASE encrypts without asking" },
      verify: { type: "boolean", help: "read the file to its end, and write nothing; no database is needed" },
      "allow-unencrypted": UNENCRYPTED,
    },
    load: async () => (await import("./backup.ts")).runBackup,
  }),
  defineCommand({
    name: "restore-database",
    summary: "Fill an empty database from a file of wheelwright backup",
    usage: ["FILE [--allow-unencrypted]"],
    words: 1,
    options: { "allow-unencrypted": UNENCRYPTED },
    load: async () => (await import("./restore-database.ts")).runRestoreDatabase,
  }),
  defineCommand({
    name: "audit",
    summary: "Show the seals of the audit log, or verify it against them",
    usage: ["heads [--chain ID] [--json]", "verify [--against HEAD|FILE] [--chain ID] [--json]"],
    words: 1,
    first: ["heads", "verify"],
    options: {
      against: {
        type: "string",
        multiple: true,
        help: "a head that was shown earlier (CHAIN:COUNT:HASH), or a file of them; may be repeated",
      },
      chain: { type: "string", help: "only this chain: a hub's id, or system" },
      json: { type: "boolean", help: "JSON in place of a table" },
    },
    load: async () => (await import("./audit.ts")).runAudit,
  }),
  defineCommand({
    name: "healthcheck",
    summary: "Tell whether serve on this machine is ready (exit status 0 or 1)",
    load: async () => (await import("./healthcheck.ts")).runHealthcheck,
  }),
  defineCommand({
    name: "licenses",
    summary: "Show the licences of what the executable is made of",
    load: async () => (await import("./licenses.ts")).runLicenses,
  }),
];
