/** Lists all commands, in the order in which the help shows them. */
import { type Command, defineCommand } from "./command.ts";

const UNENCRYPTED = { type: "boolean", help: "accept an unencrypted file even if BACKUP_PASSPHRASE is set" } as const;

export const ALL_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "dev",
    summary: "Run everything on this machine: embedded PostgreSQL and a simulated cluster",
    usage: ["[--kubeconfig FILE]"],
    options: {
      kubeconfig: { type: "string", help: "kubeconfig file of the cluster to use instead of the simulated cluster" },
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
    summary: "Migrate the database to this release, then exit",
    load: async () => (await import("./migrate.ts")).runMigrate,
  }),
  defineCommand({
    name: "doctor",
    summary: "Check the configuration, database and cluster",
    usage: [
      "[--region NAME] [--no-probe] [--json]",
      "--rbac",
      "--reconcile [--apply] [--adopt NAMESPACE] [--region NAME] [--json]",
      "--resume",
    ],
    options: {
      region: { type: "string", help: "check only the cluster of this region" },
      "no-probe": { type: "boolean", help: "skip the test pods in a temporary namespace" },
      json: { type: "boolean", help: "print JSON instead of text" },
      rbac: { type: "boolean", help: "print the required ClusterRoles without checking anything" },
      reconcile: {
        type: "boolean",
        help: "compare a restored database with the clusters",
      },
      apply: {
        type: "boolean",
        help: "with --reconcile: update the database, and let replicas run jobs again",
      },
      adopt: {
        type: "string",
        multiple: true,
        help: "with --reconcile: accept the site record in this namespace, even if unsigned; may be repeated",
      },
      resume: { type: "boolean", help: "let replicas run jobs on a restored database, without comparing it" },
    },
    load: async () => (await import("./doctor.ts")).runDoctor,
  }),
  defineCommand({
    name: "config",
    summary: "List the configuration variables, and show which are set",
    load: async () => (await import("./config.ts")).runConfig,
  }),
  defineCommand({
    name: "simulate",
    summary: "Run only the simulated cluster",
    usage: ["[--port N] [--kubeconfig FILE] [--record]"],
    options: {
      port: { type: "string", help: "port to listen on (default: a free port)" },
      kubeconfig: { type: "string", help: "path at which to write a kubeconfig file for serve" },
      record: { type: "boolean", help: "record all writes, for GET /simulator/writes and /history" },
    },
    load: async () => (await import("./simulate.ts")).runSimulate,
  }),
  defineCommand({
    name: "admin",
    summary: "Reset a user's password, without signing in",
    usage: ["reset-password EMAIL"],
    words: 2,
    first: ["reset-password"],
    load: async () => (await import("./admin.ts")).runAdmin,
  }),
  defineCommand({
    name: "restore",
    summary: "Restore a spoke from a backup, without signing in",
    usage: [
      "SPOKE [--backup ID | --back] [--as HUB/SLUG] [--domain NAME] [--dry-run]",
      "SPOKE --list",
      "SPOKE --new-cluster [--dry-run]",
      "--all --new-cluster [--hub HUB] [--dry-run]",
    ],
    words: 1,
    options: {
      backup: { type: "string", help: "ID of the backup to restore (default: the newest ready backup)" },
      back: { type: "boolean", help: "return to the state before the last restore" },
      as: { type: "string", help: "recreate a removed spoke under this name" },
      domain: { type: "string", help: "recreate a removed spoke under this domain" },
      list: { type: "boolean", help: "list the backups, and the volumes from before restores" },
      "dry-run": { type: "boolean", help: "show what would happen, and write nothing" },
      yes: { type: "boolean", help: "overwrite the site without confirmation" },
      "no-wait": { type: "boolean", help: "exit as soon as the operation is queued" },
      "new-cluster": {
        type: "boolean",
        help: "recreate the hubs and spokes of a lost cluster in the current cluster",
      },
      all: { type: "boolean", help: "with --new-cluster: all hubs and spokes" },
      hub: { type: "string", help: "with --all: only this hub and its spokes" },
    },
    load: async () => (await import("./restore.ts")).runRestore,
  }),
  defineCommand({
    name: "backup",
    summary: "Back up the database to a file, or verify a backup file",
    usage: ["FILE [--encrypt]", "--verify FILE [--allow-unencrypted]"],
    words: 1,
    options: {
      encrypt: { type: "boolean", help: "encrypt the file; prompts for a passphrase unless BACKUP_PASSPHRASE is set" },
      verify: { type: "boolean", help: "check an existing backup file, and write nothing; needs no database" },
      "allow-unencrypted": UNENCRYPTED,
    },
    load: async () => (await import("./backup.ts")).runBackup,
  }),
  defineCommand({
    name: "restore-database",
    summary: "Restore a file from 'wheelwright backup' into an empty database",
    usage: ["FILE [--allow-unencrypted]"],
    words: 1,
    options: { "allow-unencrypted": UNENCRYPTED },
    load: async () => (await import("./restore-database.ts")).runRestoreDatabase,
  }),
  defineCommand({
    name: "audit",
    summary: "Show the newest hashes of the audit log, or verify that the log is unchanged",
    usage: ["heads [--chain ID] [--json]", "verify [--against HEAD|FILE] [--chain ID] [--json]"],
    words: 1,
    first: ["heads", "verify"],
    options: {
      against: {
        type: "string",
        multiple: true,
        help: "a head that 'audit heads' printed earlier (CHAIN:COUNT:HASH), or a file with heads; may be repeated",
      },
      chain: { type: "string", help: "only this chain: the ID of a hub, or system" },
      json: { type: "boolean", help: "print JSON instead of a table" },
    },
    load: async () => (await import("./audit.ts")).runAudit,
  }),
  defineCommand({
    name: "healthcheck",
    summary: "Check whether the server on this machine is ready (exit status 0 or 1)",
    load: async () => (await import("./healthcheck.ts")).runHealthcheck,
  }),
  defineCommand({
    name: "licenses",
    summary: "Show the licences of Wheelwright and its packages",
    load: async () => (await import("./licenses.ts")).runLicenses,
  }),
];
