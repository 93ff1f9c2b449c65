/** Formats findings for a terminal: a heading for each section, a line for each finding, and hints. */
import type { Finding, FindingLevel, FindingSection, FindingSummary } from "#lib/doctor/finding.ts";

const MARKS: Readonly<Record<FindingLevel, readonly [mark: string, colour: string]>> = {
  ok: ["✓", "32"],
  warning: ["!", "33"],
  failing: ["✗", "31"],
};
const SECTION_TITLES: Readonly<Record<FindingSection["target"], string>> = {
  configuration: "Configuration",
  database: "Database",
  surroundings: "Surroundings",
  cluster: "Cluster",
};
/** The width of the column that shows check names, in characters. */
const CHECK_NAME_WIDTH = 13;
/** The maximum length of a finding's message, in characters. Longer messages are cut. */
const MAX_MESSAGE_LENGTH = 400;

type Paint = (code: string, text: string) => string;

export function renderSectionHeading(version: string, colours: boolean): string {
  const paint = createPainter(colours);
  return `\n  ${paint("1;36", "◎ Wheelwright")} ${paint("2", `${version} · doctor`)}\n`;
}

export function renderFindingSection({ target, name, where, findings }: FindingSection, colours: boolean): string {
  const paint = createPainter(colours);
  const title = paint("1", `${SECTION_TITLES[target]}${name === null ? "" : ` ${toSingleLine(name)}`}`);
  const location = where === null ? "" : `  ${paint("2", toSingleLine(where))}`;
  return `\n  ${title}${location}\n${findings.map((finding) => renderFinding(finding, paint)).join("")}`;
}

export function renderFindingSummary({ sentence, ready, warnings }: FindingSummary, colours: boolean): string {
  const colour = ready ? warnings > 0 ? "1;33" : "1;32" : "1;31";
  return `  ${createPainter(colours)(colour, sentence)}`;
}

function renderFinding({ check, level, message, hint }: Finding, paint: Paint): string {
  const [mark, colour] = MARKS[level];
  const line = `    ${paint(colour, mark)} ${paint("2", check.padEnd(CHECK_NAME_WIDTH))} ${toSingleLine(message)}\n`;
  return hint === undefined
    ? line
    : `${line}${" ".repeat(6 + CHECK_NAME_WIDTH)} ${paint("2", `→ ${toSingleLine(hint)}`)}\n`;
}

/** Replaces control characters and line breaks with spaces, so that text from a server cannot move the cursor. */
function toSingleLine(text: string): string {
  // deno-lint-ignore no-control-regex
  const line = text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").trim();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line;
}

function createPainter(colours: boolean): Paint {
  return (code, text) => colours ? `\x1b[${code}m${text}\x1b[0m` : text;
}
