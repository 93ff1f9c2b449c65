/**
 * Finds the cause of a failed Job in the last lines of its log.
 * The cluster only reports that a Job failed ("has reached the specified backoff limit"). Moodle, PHP and PostgreSQL
 * print the cause in messages that rarely change. Without a known message, the line that looks most like an error is
 * used.
 */
import type { FailureCause } from "#lib/base/errors.ts";

interface LogCause {
  readonly code: string;
  /** Completes a sentence that begins with the failed action. */
  readonly reason: string;
  readonly blame: FailureCause;
  readonly hint: string;
  /** The log line that shows the cause. */
  readonly line: string;
}

type Rule = readonly [words: RegExp, cause: Omit<LogCause, "line">];

const DATABASE_POD_HINT = "Look at the pod of the StatefulSet db and its log; then retry.";

const RULES: readonly Rule[] = [
  [/password authentication failed/i, {
    code: "DatabasePassword",
    reason: "the database refused the password",
    blame: "operator",
    hint:
      "The secret moodle no longer holds the password that the database was made with: put that one back, then retry.",
  }],
  [
    /could not translate host name|Name does not resolve|php_network_getaddresses|Temporary failure in name resolution/i,
    {
      code: "DatabaseNotFound",
      reason: "the name of the database could not be looked up",
      blame: "operator",
      hint:
        "See whether DNS works in the cluster, and whether network policies let these pods reach it (dnsNamespace in " +
        "surroundings.yaml, or the region of CATALOG); then retry.",
    },
  ],
  [/port 5432 failed: (Connection timed out|timeout expired|No route to host|Operation timed out)|timeout expired/i, {
    code: "DatabaseUnreachable",
    reason: "the database could not be reached",
    blame: "operator",
    hint: "See whether a network policy or the network plugin keeps pods from the service db; then retry.",
  }],
  [/port 5432 failed: Connection refused|the database system is (starting up|shutting down)/i, {
    code: "DatabaseUnreachable",
    reason: "the database was not running",
    blame: "cluster",
    hint: DATABASE_POD_HINT,
  }],
  [/FATAL:\s+database "[^"]*" does not exist/i, {
    code: "DatabaseMissing",
    reason: "the database server has no database for the site",
    blame: "cluster",
    hint: "The database was cut off while it was set up: delete its empty volume claim, then retry.",
  }],
  [/too many clients already|remaining connection slots/i, {
    code: "DatabaseBusy",
    reason: "the database takes no more connections",
    blame: "cluster",
    hint: DATABASE_POD_HINT,
  }],
  [/No space left on device|disk quota exceeded|could not extend file/i, {
    code: "DiskFull",
    reason: "a disk is full",
    blame: "operator",
    hint: 'Give this size larger disks ("disks" in sizes.yaml), or free space on the volume; then retry.',
  }],
  [/Allowed memory size of \d+ bytes exhausted/i, {
    code: "PhpMemory",
    reason: "PHP ran into its memory limit",
    blame: "operator",
    hint: "Choose a larger size, or raise memory_limit in the blueprint; then retry.",
  }],
  [
    /invalid page in block|page verification failed|could not read block|could not access status of transaction|missing chunk number|invalid (?:primary )?checkpoint record|could not locate a valid checkpoint record|could not open file "(?:base|global|pg_xact)\/|PANIC:/i,
    {
      code: "DatabaseDamaged",
      reason: "the database on its volume is damaged",
      blame: "operator",
      hint: "See what the line names. Restore a backup from before the damage, and check the storage.",
    },
  ],
  [
    /terminating connection (?:due to|because of)|server closed the connection|connection to (?:the )?server was lost|could not connect to (?:the )?(?:server|database)|the database system is in recovery mode|SSL connection has been closed|no connection to the server|Database connection failed/i,
    {
      code: "DatabaseWentAway",
      reason: "the database went away",
      blame: "cluster",
      hint: "Its pod stopped or restarted meanwhile. Retry; Wheelwright first removes what is half done.",
    },
  ],
  [/not (?:(?:re)?set|installed|seeded): /i, {
    code: "NotEmpty",
    reason: "there is something in the database that must not be touched",
    blame: "cluster",
    hint: "Somebody else is, or was, at work in this site: wait until that has ended, then retry.",
  }],
  [/not adopted: /i, {
    code: "NoSiteInSnapshot",
    reason: "there is no site on the volumes that were made from snapshots",
    blame: "operator",
    hint: "The snapshots hold nothing that a site could be made of: choose another backup.",
  }],
  [/database files are incompatible with server/i, {
    code: "OtherPostgres",
    reason: "the database is of another major version of PostgreSQL than the image",
    blame: "operator",
    hint: "PostgreSQL reads no other version's files: restore it under an image of the version that it was made with.",
  }],
  [/not upgraded: /i, {
    code: "NotUpgradable",
    reason: "the upgrade would not touch what it found in the database",
    blame: "cluster",
    hint:
      "Look into the database: where the site is lost, restore a backup; where somebody else is at work, wait. Then retry.",
  }],
  [/code you are using is OLDER than the version that made these databases/i, {
    code: "OlderCode",
    reason: "the image holds older code than the database is of",
    blame: "operator",
    hint: "See which version the image holds (images.yaml, or the versions of CATALOG), and put it right; then retry.",
  }],
  [/version \S+ is required and you are running/i, {
    code: "Environment",
    reason: "this version needs what the site does not have",
    blame: "operator",
    hint: "Put right what it names; where that is its own version, restore the backup, and go by a version in between.",
  }],
  [/Site is being upgraded, please retry later/i, {
    code: "HalfInstalled",
    reason: "an earlier installation was left half done",
    blame: "cluster",
    hint: "Retry: what was left is cleared away first.",
  }],
  [/Unrecognised options:/i, {
    code: "BadSetting",
    reason: "a setting of the site breaks the image's start script",
    blame: "operator",
    hint: "A value in settings.yaml has a blank or a sign that a shell takes apart: correct it in the blueprint.",
  }],
  [/Permission denied|Read-only file system/i, {
    code: "NotWritable",
    reason: "the files of the site cannot be written",
    blame: "operator",
    hint: "See whether the volume honours fsGroup, and the user that the pods run as; then retry.",
  }],
  [/PHP (Fatal|Parse) error|Exception - |Default exception handler/i, {
    code: "PhpFatal",
    reason: "Moodle ended with an error of its own",
    blame: "operator",
    hint: "See the last lines of the log; where the image or the version is at fault, choose another one, then retry.",
  }],
];

/**
 * Returns the cause; undefined if no line is known. Later lines are preferred, because earlier errors may have been
 * resolved.
 */
export function findLogCause(log: readonly string[]): LogCause | undefined {
  const backwards = log.toReversed();
  for (const [words, cause] of RULES) {
    const line = backwards.find((each) => words.test(each));
    if (line !== undefined) return { ...cause, line: line.trim() };
  }
}

export const WAIT_HINT =
  "See to the database (the pod db-0), and whether network policies let it be reached; then retry.";

/**
 * Returns the condition that the start scripts were waiting for when the log ended; undefined if they were not waiting.
 */
export function findWaitLine(log: readonly string[]): string | undefined {
  const last = log.findLast((line) => /[A-Za-z]{3}/.test(line) && !EXIT_LINE.test(line));
  return last && /Waiting for \S+ to be ready/i.test(last) ? last.trim().replace(/[.\s]+$/, "") : undefined;
}

const EXIT_LINE = /^\*\*\* Failed with return value/;

/** Returns the line that looks most like an error. Skips the entry point's last line, which is always the same. */
export function findLikelyErrorLine(log: readonly string[]): string | undefined {
  const lines = log.map((line) => line.trim()).filter((line) => /[A-Za-z]{3}/.test(line) && !EXIT_LINE.test(line));
  return lines.findLast((line) => /error|fatal|exception|fail|cannot|denied|invalid/i.test(line)) ?? lines.at(-1);
}
