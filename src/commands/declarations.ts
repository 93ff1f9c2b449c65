/** Declares the commands that work on this machine. The module of a command is loaded only when the command runs. */
import { type Command, defineCommand } from "../cli/command.ts";
import * as options from "./options.ts";

const local = true;

/** Each command, or the verbs of each noun. */
export const LOCAL_COMMANDS: Readonly<Record<string, Command | readonly Command[]>> = {
  dev: defineCommand({
    local,
    options: options.DEV_OPTIONS,
    run: async (_, typed) => (await import("./dev.ts")).runDev(typed.options),
  }),
  serve: defineCommand({ local, run: async () => (await import("./serve.ts")).runServe() }),
  migrate: defineCommand({ local, run: async () => (await import("./migrate.ts")).runMigrate() }),
  doctor: defineCommand({
    local,
    usage: [
      "[--region NAME] [--no-probe] [--json]",
      "--rbac",
      "--reconcile [--apply] [--adopt NAMESPACE] [--region NAME] [--json]",
      "--resume",
    ],
    options: options.DOCTOR_OPTIONS,
    run: async (_, typed) => (await import("./doctor.ts")).runDoctor(typed.options),
  }),
  config: defineCommand({ local, run: async () => (await import("./config.ts")).runConfig() }),
  simulate: defineCommand({
    local,
    options: options.SIMULATE_OPTIONS,
    run: async (_, typed) => (await import("./simulate.ts")).runSimulate(typed.options),
  }),
  admin: [
    defineCommand({
      local,
      name: "reset-password",
      summary: "Set a new password for a user, without signing in",
      words: ["EMAIL"],
      examples: ["admin reset-password ada@school.example"],
      run: async (_, { words: [email] }) => (await import("./admin.ts")).resetPassword(email),
    }),
    defineCommand({
      local,
      name: "reset-factors",
      summary: "Remove the second factors of a user who lost them, without signing in",
      words: ["EMAIL"],
      examples: ["admin reset-factors ada@school.example"],
      run: async (_, { words: [email] }) => (await import("./admin.ts")).resetFactors(email),
    }),
  ],
  restore: defineCommand({
    local,
    usage: [
      "SPOKE [--backup ID | --back] [--as HUB/SLUG] [--domain NAME] [--dry-run]",
      "SPOKE --list",
      "SPOKE --new-cluster [--dry-run]",
      "--all --new-cluster [--hub HUB] [--dry-run]",
      "--rollout ID [--wave N] [--dry-run]",
      "--library --hub HUB [--backup ID] [--dry-run | --list]",
    ],
    words: ["[SPOKE]"],
    options: options.RESTORE_OPTIONS,
    run: async (_, { words: [name], options }) => (await import("./restore.ts")).runRestore(name, options),
  }),
  backup: defineCommand({
    local,
    usage: ["FILE [--encrypt]", "--verify FILE [--allow-unencrypted]"],
    words: ["FILE"],
    options: options.BACKUP_OPTIONS,
    run: async (_, { words: [file], options }) => (await import("./backup.ts")).runBackup(file, options),
  }),
  "restore-database": defineCommand({
    local,
    words: ["FILE"],
    options: options.RESTORE_DATABASE_OPTIONS,
    run: async (_, typed) => (await import("./restore-database.ts")).runRestoreDatabase(typed.words[0], typed.options),
  }),
  audit: [
    defineCommand({
      local,
      name: "heads",
      summary: "Show the newest hash of each chain in the audit log; reads this machine's database",
      options: options.AUDIT_HEADS_OPTIONS,
      examples: ["audit heads > heads"],
      run: async (_, typed) => (await import("./audit.ts")).showAuditHeads(typed.options),
    }),
    defineCommand({
      local,
      name: "verify",
      summary: "Verify that no audit event was changed or removed; reads this machine's database",
      options: options.AUDIT_VERIFY_OPTIONS,
      examples: ["audit verify --against heads"],
      run: async (_, typed) => (await import("./audit.ts")).verifyAuditLog(typed.options),
    }),
  ],
  healthcheck: defineCommand({ local, run: async () => (await import("./healthcheck.ts")).runHealthcheck() }),
  licenses: defineCommand({ local, run: async () => (await import("./licenses.ts")).runLicenses() }),
};
