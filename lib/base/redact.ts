/**
 * Text of the cluster made fit to be kept and shown: without secrets, and without what breaks a row or a terminal.
 *
 * Nobody here knows a spoke's passwords, and none is read to look for it: they are recognised by what stands before
 * them, and Wheelwright's own by their shape. Too much hidden costs a word of a log; too little, a password for ever.
 */
import { makeReadable, stripColours } from "#lib/base/readable.ts";

export const REDACTED = "***";

/**
 * What names a secret: `PGPASSWORD=x`, `--adminpass=x`, `"dbPass": "x"`, `$CFG->dbpass = 'x'`. Whatever stands before it
 * is left out of the pattern, and no part of one repeats what another repeats: a log is written by strangers, and a line
 * that takes a regular expression seconds would hold everybody up.
 */
const NAME = "(?:passwor[dt]|passwd|passphrase|pass|pwd|secret|token|api[_-]?key|private[_-]?key|credentials?)";
const VALUE = "(?:\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|[^\\s\"',;&)]+)";

const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [new RegExp(`(${NAME}["']?\\s{0,20}=>?\\s{0,20})${VALUE}`, "gi"), `$1${REDACTED}`],
  // A colon ends many an ordinary sentence ("wrong password: try again"); before a value it has no more than a blank.
  [new RegExp(`(${NAME}["']?:\\s?)${VALUE}(?=\\s{0,20}(?:$|[,;}\\]]))`, "gim"), `$1${REDACTED}`],
  [/(--(?:admin|db)?pass(?:word)?\s{1,20})\S+/gi, `$1${REDACTED}`],
  [/(authorization:\s{0,20}(?:basic|bearer|digest|negotiate|token)\s{1,20})\S+/gi, `$1${REDACTED}`],
  [/(\bbearer\s{1,20})[\w.+/=~-]{16,}/gi, `$1${REDACTED}`],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]*:)[^\s@/]+(@)/gi, `$1${REDACTED}$2`],
  // A stack trace of PHP prints the arguments of its calls, and the third of a connection's is the password.
  [/((?:connect|PDO|mysqli)\w{0,20}\()[^()]*(\))/gi, `$1${REDACTED}$2`],
  [/\b(ww_(?:cli|prv|ro)_)\w+/g, `$1${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
  [
    /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g,
    `${REDACTED} (a private key)`,
  ],
];

/** As lib/moodle/secrets.ts makes them: 32 characters, of which one at least is of each sort. */
const OWN_PASSWORD = /(?<![\w-])[\w-]{32}(?![\w-])/g;
const SORTS = [/[A-Z]/, /[a-z]/, /[0-9]/, /[-_]/];

/** Anything but tab and line feed; a NUL would keep a whole report from being written. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export function redact(text: string): string {
  const plain = makeReadable(stripColours(text).replace(CONTROLS, ""));
  const redacted = RULES.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), plain);
  return redacted.replace(OWN_PASSWORD, (word) => SORTS.every((sort) => sort.test(word)) ? REDACTED : word);
}

/** The same for lines of a log; of a private key that is spread over them none is kept. */
export function redactLines(lines: readonly string[]): string[] {
  let inKey = false;
  const result: string[] = [];
  for (const line of lines) {
    const begins = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/.test(line);
    if (!inKey) result.push(redact(line));
    if (begins) inKey = true;
    if (/-----END [A-Z ]{0,20}PRIVATE KEY-----/.test(line)) inKey = false;
  }
  return result;
}
