/** Finds the cause of a Job's failure in the last lines of its log, because Kubernetes does not report the cause. */
import type { FailureCause } from "#lib/base/errors.ts";

interface LogCause {
  readonly code: string;
  /** The reason, worded as the end of a sentence such as "The installation failed because the disk is full". */
  readonly reason: string;
  readonly blame: FailureCause;
  readonly hint: string;
  /** The log line that reveals the cause. */
  readonly line: string;
}

type Rule = readonly [words: RegExp, cause: Omit<LogCause, "line">];

const DATABASE_POD_HINT = "Check the pod db-0 and its log. Then retry.";

const RULES: readonly Rule[] = [
  [/password authentication failed/i, {
    code: "DatabasePassword",
    reason: "the database refused the password",
    blame: "operator",
    hint: "The Secret moodle does not contain the database's password. Restore the original Secret, then retry.",
  }],
  [
    /could not translate host name|Name does not resolve|php_network_getaddresses|Temporary failure in name resolution/i,
    {
      code: "DatabaseNotFound",
      reason: "the database's host name could not be resolved",
      blame: "operator",
      hint: "Check DNS in the cluster, and the network policies for DNS. Then retry. " +
        "The setting dnsNamespace is in surroundings.yaml, or in the catalog file (CATALOG) under the region.",
    },
  ],
  [/port 5432 failed: (Connection timed out|timeout expired|No route to host|Operation timed out)|timeout expired/i, {
    code: "DatabaseUnreachable",
    reason: "the database could not be reached",
    blame: "operator",
    hint: "Check whether a network policy or the network plugin blocks the Service db. Then retry.",
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
    hint: "The database's initialization was interrupted. Delete the database's empty PVC, then retry.",
  }],
  [/too many clients already|remaining connection slots/i, {
    code: "DatabaseBusy",
    reason: "the database accepts no more connections",
    blame: "cluster",
    hint: DATABASE_POD_HINT,
  }],
  [/No space left on device|disk quota exceeded|could not extend file/i, {
    code: "DiskFull",
    reason: "a disk is full",
    blame: "operator",
    hint: 'Increase "disks" for the size of this spoke in sizes.yaml, or free space on the volume. Then retry.',
  }],
  [/Allowed memory size of \d+ bytes exhausted/i, {
    code: "PhpMemory",
    reason: "PHP reached its memory limit",
    blame: "operator",
    hint: "Choose a larger size, or increase memory_limit in the blueprint. Then retry.",
  }],
  [
    /invalid page in block|page verification failed|could not read block|could not access status of transaction|missing chunk number|invalid (?:primary )?checkpoint record|could not locate a valid checkpoint record|could not open file "(?:base|global|pg_xact)\/|PANIC:/i,
    {
      code: "DatabaseDamaged",
      reason: "the database files are damaged",
      blame: "operator",
      hint: "Restore a backup from before the damage, and check the storage.",
    },
  ],
  [
    /terminating connection (?:due to|because of)|server closed the connection|connection to (?:the )?server was lost|could not connect to (?:the )?(?:server|database)|the database system is in recovery mode|SSL connection has been closed|no connection to the server|Database connection failed/i,
    {
      code: "DatabaseWentAway",
      reason: "the connection to the database was lost",
      blame: "cluster",
      hint: "The database pod stopped or restarted. Retry. Wheelwright first cleans up after the failed attempt.",
    },
  ],
  [/not (?:(?:re)?set|installed|seeded): /i, {
    code: "NotEmpty",
    reason: "the database contains data that must not be changed",
    blame: "cluster",
    hint: "Another Job or session is using this site. Wait until it has finished. Then retry.",
  }],
  [/not adopted: /i, {
    code: "NoSiteInSnapshot",
    reason: "the volumes that were created from snapshots contain no site",
    blame: "operator",
    hint: "Choose another backup.",
  }],
  [/database files are incompatible with server/i, {
    code: "OtherPostgres",
    reason: "the database files need another major version of PostgreSQL",
    blame: "operator",
    hint: "Restore the backup with a PostgreSQL image of the database's major version.",
  }],
  [/not upgraded: /i, {
    code: "NotUpgradable",
    reason: "the database contains no installed site, or a newer attempt has started",
    blame: "cluster",
    hint: "If the site is lost, restore a backup. If another Job is running, wait until it has finished. Then retry.",
  }],
  [/code you are using is OLDER than the version that made these databases/i, {
    code: "OlderCode",
    reason: "the image contains older code than the database requires",
    blame: "operator",
    hint: "Correct the image for this Moodle version in images.yaml, or in the catalog file (CATALOG). Then retry.",
  }],
  [/version \S+ is required and you are running/i, {
    code: "Environment",
    reason: "the site does not meet the requirements of this version",
    blame: "operator",
    hint: "Meet the requirement in the log line. If the site is too old, restore the backup and upgrade in two steps.",
  }],
  [/Site is being upgraded, please retry later/i, {
    code: "HalfInstalled",
    reason: "an earlier installation did not finish",
    blame: "cluster",
    hint: "Retry. Wheelwright first removes the incomplete installation.",
  }],
  [/Unrecognised options:/i, {
    code: "BadSetting",
    reason: "a setting of the site breaks the image's start script",
    blame: "operator",
    hint: "Remove spaces and shell characters from the values in the blueprint's settings.yaml.",
  }],
  [/Permission denied|Read-only file system/i, {
    code: "NotWritable",
    reason: "the site's files are not writable",
    blame: "operator",
    hint: "Check whether the volume supports fsGroup, and which user the pods run as. Then retry.",
  }],
  [/PHP (Fatal|Parse) error|Exception - |Default exception handler/i, {
    code: "PhpFatal",
    reason: "Moodle failed with an error",
    blame: "operator",
    hint: "Check the last lines of the log. If the image or version is the cause, choose another version. Then retry.",
  }],
];

/** Returns the cause of a Job's failure; undefined if no log line matches a rule. Prefers the last matching line. */
export function findFailureCause(log: readonly string[]): LogCause | undefined {
  const backwards = log.toReversed();
  for (const [words, cause] of RULES) {
    const line = backwards.find((each) => words.test(each));
    if (line !== undefined) return { ...cause, line: line.trim() };
  }
}

export const SERVICE_WAIT_HINT =
  "Check the database (the pod db-0), and whether network policies allow access to this pod. Then retry.";

/** Returns the last log line if it shows that the start script waited for a service; otherwise undefined. */
export function findServiceWaitLine(log: readonly string[]): string | undefined {
  const last = log.findLast((line) => /[A-Za-z]{3}/.test(line) && !EXIT_LINE.test(line));
  return last && /Waiting for \S+ to be ready/i.test(last) ? last.trim().replace(/[.\s]+$/, "") : undefined;
}

const EXIT_LINE = /^\*\*\* Failed with return value/;

/** Returns the log line that looks most like an error. Skips the closing line that all failed containers write. */
export function findLikelyErrorLine(log: readonly string[]): string | undefined {
  const lines = log.map((line) => line.trim()).filter((line) => /[A-Za-z]{3}/.test(line) && !EXIT_LINE.test(line));
  return lines.findLast((line) => /error|fatal|exception|fail|cannot|denied|invalid/i.test(line)) ?? lines.at(-1);
}
