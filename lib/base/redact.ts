/**
 * Removes secrets and control characters from text that comes from the cluster, so that it can be stored and shown. A
 * secret is recognized by the name in front of it, and Wheelwright's own secrets also by their format. Ambiguous text
 * is redacted.
 */
import { escapeInvisibleCharacters, stripColours } from "#lib/base/readable.ts";

export const REDACTION_MARK = "***";

/**
 * Matches names of secrets: `PGPASSWORD=x`, `--adminpass=x`, `"dbPass": "x"`, `$CFG->dbpass = 'x'`. The patterns have
 * no nested repetition, so a hostile log line cannot cause catastrophic backtracking.
 */
const NAME = "(?:passwor[dt]|passwd|passphrase|pass|pwd|secret|token|api[_-]?key|private[_-]?key|credentials?)";
const VALUE = "(?:\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|[^\\s\"',;&)]+)";

const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [new RegExp(`(${NAME}["']?\\s{0,20}=>?\\s{0,20})${VALUE}`, "gi"), `$1${REDACTION_MARK}`],
  // Allows at most one space after a colon, because colons also occur in sentences ("wrong password: try again").
  [new RegExp(`(${NAME}["']?:\\s?)${VALUE}(?=\\s{0,20}(?:$|[,;}\\]]))`, "gim"), `$1${REDACTION_MARK}`],
  [/(--(?:admin|db)?pass(?:word)?\s{1,20})\S+/gi, `$1${REDACTION_MARK}`],
  [/(authorization:\s{0,20}(?:basic|bearer|digest|negotiate|token)\s{1,20})\S+/gi, `$1${REDACTION_MARK}`],
  [/(\bbearer\s{1,20})[\w.+/=~-]{16,}/gi, `$1${REDACTION_MARK}`],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]*:)[^\s@/]+(@)/gi, `$1${REDACTION_MARK}$2`],
  // Redacts function arguments in PHP stack traces, which may include a connection's password.
  [/((?:connect|PDO|mysqli)\w{0,20}\()[^()]*(\))/gi, `$1${REDACTION_MARK}$2`],
  [/\b(ww_(?:cli|prv|ro)_)\w+/g, `$1${REDACTION_MARK}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTION_MARK],
  [
    /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g,
    `${REDACTION_MARK} (a private key)`,
  ],
];

/** Matches passwords that lib/moodle/secrets.ts generates: 32 characters, at least one from each character class. */
const OWN_PASSWORD = /(?<![\w-])[\w-]{32}(?![\w-])/g;
const SORTS = [/[A-Z]/, /[a-z]/, /[0-9]/, /[-_]/];

/** Matches control characters other than tab and line feed. Includes NUL, which PostgreSQL cannot store. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export function redactSecrets(text: string): string {
  const plain = escapeInvisibleCharacters(stripColours(text).replace(CONTROLS, ""));
  const redacted = RULES.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), plain);
  return redacted.replace(OWN_PASSWORD, (word) => SORTS.every((sort) => sort.test(word)) ? REDACTION_MARK : word);
}

/** Redacts secrets in log lines, including private keys that span several lines. */
export function redactLogLines(lines: readonly string[]): string[] {
  let inKey = false;
  const result: string[] = [];
  for (const line of lines) {
    const begins = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/.test(line);
    if (!inKey) result.push(redactSecrets(line));
    if (begins) inKey = true;
    if (/-----END [A-Z ]{0,20}PRIVATE KEY-----/.test(line)) inKey = false;
  }
  return result;
}
