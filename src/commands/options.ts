/** Declares the options of the commands that work on this machine. Each command derives the types of its values. */
const UNENCRYPTED = { type: "boolean", help: "accept an unencrypted file even if BACKUP_PASSPHRASE is set" } as const;
const JSON_OPTION = { type: "boolean", help: "print JSON instead of text" } as const;
const CHAIN = { type: "string", value: "ID", help: "only this chain: the ID of a hub, or system" } as const;

export const DEV_OPTIONS = {
  kubeconfig: {
    type: "string",
    value: "FILE",
    help: "kubeconfig file of the cluster to use instead of the simulated cluster",
  },
} as const;

export const DOCTOR_OPTIONS = {
  region: { type: "string", value: "NAME", help: "check only the cluster of this region" },
  "no-probe": { type: "boolean", help: "skip the test pods in a temporary namespace" },
  json: JSON_OPTION,
  rbac: { type: "boolean", help: "print the required ClusterRoles without checking anything" },
  reconcile: { type: "boolean", help: "compare a restored database with the clusters" },
  apply: { type: "boolean", help: "with --reconcile: update the database, and let replicas run jobs again" },
  adopt: {
    type: "string",
    value: "NAMESPACE",
    multiple: true,
    help: "with --reconcile: accept the site record in this namespace, even if unsigned; may be repeated",
  },
  resume: { type: "boolean", help: "let replicas run jobs on a restored database, without comparing it" },
} as const;

export const SIMULATE_OPTIONS = {
  port: { type: "string", value: "N", help: "port to listen on (default: a free port)" },
  kubeconfig: { type: "string", value: "FILE", help: "path at which to write a kubeconfig file for serve" },
  record: { type: "boolean", help: "record all writes, for GET /simulator/writes and /history" },
} as const;

export const RESTORE_OPTIONS = {
  backup: { type: "string", value: "ID", help: "ID of the backup to restore (default: the newest ready backup)" },
  back: { type: "boolean", help: "return to the state before the last restore" },
  as: { type: "string", value: "HUB/SLUG", help: "recreate a removed spoke under this name" },
  domain: { type: "string", value: "NAME", help: "recreate a removed spoke under this domain" },
  list: { type: "boolean", help: "list the backups, and the volumes from before restores" },
  "dry-run": { type: "boolean", help: "show what would happen, and write nothing" },
  yes: { type: "boolean", help: "overwrite the site without confirmation" },
  "no-wait": { type: "boolean", help: "exit as soon as the operation is queued" },
  "new-cluster": { type: "boolean", help: "recreate the hubs and spokes of a lost cluster in the current cluster" },
  all: { type: "boolean", help: "with --new-cluster: all hubs and spokes" },
  hub: { type: "string", help: "with --all: only this hub and its spokes; with --library: the hub of the library" },
  library: { type: "boolean", help: "restore missing packages of a hub's courses from a backup of its library" },
  rollout: { type: "string", value: "ID", help: "restore a wave of this rollout from the backups of its operations" },
  wave: { type: "string", value: "N", help: "with --rollout: this wave (default: the last wave with a failure)" },
} as const;

export const BACKUP_OPTIONS = {
  encrypt: { type: "boolean", help: "encrypt the file; prompts for a passphrase unless BACKUP_PASSPHRASE is set" },
  verify: { type: "boolean", help: "check an existing backup file, and write nothing; needs no database" },
  "allow-unencrypted": UNENCRYPTED,
} as const;

export const RESTORE_DATABASE_OPTIONS = { "allow-unencrypted": UNENCRYPTED } as const;

export const AUDIT_HEADS_OPTIONS = { chain: CHAIN, json: JSON_OPTION } as const;

export const AUDIT_VERIFY_OPTIONS = {
  against: {
    type: "string",
    value: "HEAD",
    multiple: true,
    help: "a head that 'audit heads' printed earlier (CHAIN:COUNT:HASH), or a file with heads; may be repeated",
  },
  ...AUDIT_HEADS_OPTIONS,
} as const;
