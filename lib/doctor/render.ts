/** Renders doctor's findings for a terminal: a heading per section, a line per finding, and hints. */
import type { Finding, FindingLevel, Section, Summary } from "#lib/doctor/finding.ts";

const MARKS: Readonly<Record<FindingLevel, readonly [mark: string, colour: string]>> = {
  ok: ["✓", "32"],
  warning: ["!", "33"],
  failing: ["✗", "31"],
};
const TITLES: Readonly<Record<Section["target"], string>> = {
  configuration: "Configuration",
  database: "Database",
  surroundings: "Surroundings",
  cluster: "Cluster",
};
/** The number of characters of the longest check name. */
const WIDTH = 13;
/** The maximum number of characters in a line. The important part of a cluster's message is at its beginning. */
const MOST = 400;

type Paint = (code: string, text: string) => string;

export function renderHeading(version: string, colours: boolean): string {
  const paint = painter(colours);
  return `\n  ${paint("1;36", "◎ Wheelwright")} ${paint("2", `${version} · doctor`)}\n`;
}

export function renderSection({ target, name, where, findings }: Section, colours: boolean): string {
  const paint = painter(colours);
  const title = paint("1", `${TITLES[target]}${name === null ? "" : ` ${plain(name)}`}`);
  const at = where === null ? "" : `  ${paint("2", plain(where))}`;
  return `\n  ${title}${at}\n${findings.map((finding) => renderFinding(finding, paint)).join("")}`;
}

export function renderSummary({ sentence, ready, warnings }: Summary, colours: boolean): string {
  const colour = ready ? warnings > 0 ? "1;33" : "1;32" : "1;31";
  return `  ${painter(colours)(colour, sentence)}`;
}

function renderFinding({ check, level, message, hint }: Finding, paint: Paint): string {
  const [mark, colour] = MARKS[level];
  const line = `    ${paint(colour, mark)} ${paint("2", check.padEnd(WIDTH))} ${plain(message)}\n`;
  return hint === undefined ? line : `${line}${" ".repeat(6 + WIDTH)} ${paint("2", `→ ${plain(hint)}`)}\n`;
}

/** Returns the text as one line without control characters, because text from a server must not move the cursor. */
function plain(text: string): string {
  // deno-lint-ignore no-control-regex
  const line = text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").trim();
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
}

function painter(colours: boolean): Paint {
  return (code, text) => colours ? `\x1b[${code}m${text}\x1b[0m` : text;
}
