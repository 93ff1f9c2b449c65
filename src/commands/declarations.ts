/** Declares the commands that work on this machine. The module of a command is loaded only when the command runs. */
import { defineCommand } from "../cli/command.ts";
import * as options from "./options.ts";

const local = true;

export const devCommand = defineCommand({
  local,
  usage: ["[--kubeconfig FILE]"],
  options: options.DEV_OPTIONS,
  run: async (_, typed) => (await import("./dev.ts")).runDev(typed.options),
});

export const serveCommand = defineCommand({
  local,
  run: async () => (await import("./serve.ts")).runServe(),
});

export const migrateCommand = defineCommand({
  local,
  run: async () => (await import("./migrate.ts")).runMigrate(),
});

export const doctorCommand = defineCommand({
  local,
  usage: [
    "[--region NAME] [--no-probe] [--json]",
    "--rbac",
    "--reconcile [--apply] [--adopt NAMESPACE] [--region NAME] [--json]",
    "--resume",
  ],
  options: options.DOCTOR_OPTIONS,
  run: async (_, typed) => (await import("./doctor.ts")).runDoctor(typed.options),
});

export const configCommand = defineCommand({
  local,
  run: async () => (await import("./config.ts")).runConfig(),
});

export const simulateCommand = defineCommand({
  local,
  usage: ["[--port N] [--kubeconfig FILE] [--record]"],
  options: options.SIMULATE_OPTIONS,
  run: async (_, typed) => (await import("./simulate.ts")).runSimulate(typed.options),
});

export const adminCommands = [
  defineCommand({
    local,
    name: "reset-password",
    summary: "Set a new password for a user, without signing in",
    words: ["EMAIL"],
    examples: ["admin reset-password ada@school.example"],
    run: async (_, { words: [email] }) => (await import("./admin.ts")).resetPassword(email),
  }),
];

export const restoreCommand = defineCommand({
  local,
  usage: [
    "SPOKE [--backup ID | --back] [--as HUB/SLUG] [--domain NAME] [--dry-run]",
    "SPOKE --list",
    "SPOKE --new-cluster [--dry-run]",
    "--all --new-cluster [--hub HUB] [--dry-run]",
  ],
  words: ["[SPOKE]"],
  options: options.RESTORE_OPTIONS,
  run: async (_, typed) => (await import("./restore.ts")).runRestore(typed.words[0], typed.options),
});

export const backupCommand = defineCommand({
  local,
  usage: ["FILE [--encrypt]", "--verify FILE [--allow-unencrypted]"],
  words: ["FILE"],
  options: options.BACKUP_OPTIONS,
  run: async (_, typed) => (await import("./backup.ts")).runBackup(typed.words[0], typed.options),
});

export const restoreDatabaseCommand = defineCommand({
  local,
  usage: ["FILE [--allow-unencrypted]"],
  words: ["FILE"],
  options: options.RESTORE_DATABASE_OPTIONS,
  run: async (_, typed) => (await import("./restore-database.ts")).runRestoreDatabase(typed.words[0], typed.options),
});

export const auditChainCommands = [
  defineCommand({
    local,
    name: "heads",
    summary: "Show the newest hash of each chain in the audit log; reads this machine's database",
    usage: ["[--chain ID] [--json]"],
    options: options.AUDIT_HEADS_OPTIONS,
    examples: ["audit heads > heads"],
    run: async (_, typed) => (await import("./audit.ts")).showAuditHeads(typed.options),
  }),
  defineCommand({
    local,
    name: "verify",
    summary: "Verify that no audit event was changed or removed; reads this machine's database",
    usage: ["[--against HEAD|FILE]… [--chain ID] [--json]"],
    options: options.AUDIT_VERIFY_OPTIONS,
    examples: ["audit verify --against heads"],
    run: async (_, typed) => (await import("./audit.ts")).verifyAuditLog(typed.options),
  }),
];

export const healthcheckCommand = defineCommand({
  local,
  run: async () => (await import("./healthcheck.ts")).runHealthcheck(),
});

export const licensesCommand = defineCommand({
  local,
  run: async () => (await import("./licenses.ts")).runLicenses(),
});
