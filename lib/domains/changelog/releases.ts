/**
 * Parses CHANGELOG.md into the changes of each release, newest first.
 *
 * The file is parsed at build time (src/generate.ts), because a standalone executable has no files next to it. The
 * format is strict, so that no entry is lost silently:
 *
 *   ## Unreleased
 *
 *   ### Added
 *
 *   - An entry, which may continue
 *     on the next line.
 *
 *   ## 0.2.0 (2026-12-01)
 */
import { isCalendarDay } from "#lib/base/time.ts";

export interface ReleaseNotes {
  /** The version, for example `0.2.0`, or `unreleased` for changes that are not yet released. */
  readonly version: string;
  /** The release date, for example `2026-12-01`. Null for changes that are not yet released. */
  readonly date: string | null;
  /** The changes in the release, one line each. Backticks mark code; double asterisks mark emphasis. */
  readonly changes: readonly string[];
}

export const UNRELEASED_VERSION = "unreleased";

const HEADING = /^## (?:(Unreleased)|(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?) \((\d{4}-\d{2}-\d{2})\))$/;

/** The group headings defined by keepachangelog.com. */
const GROUP = /^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/;

/** Parses CHANGELOG.md. Throws an error with the line number if a line is malformed. */
export function parseReleases(text: string): readonly ReleaseNotes[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (!/^# \S/.test(lines[0]!)) throw changelogError(1, "must be the title, such as # Changelog");
  const releases: { version: string; date: string | null; changes: string[] }[] = [];
  let inEntry = false; // whether this line can continue an entry
  for (const [i, line] of lines.entries()) {
    const release = releases.at(-1), number = i + 1;
    if (/[^\P{Cc}\n]/u.test(line)) throw changelogError(number, "contains a control character");
    if (release && GROUP.test(line)) {
      inEntry = false;
    } else if (line.startsWith("##")) {
      releases.push({ ...readHeading(line, number, releases), changes: [] });
      inEntry = false;
    } else if (!release || line.trim() === "") {
      inEntry = false; // text before the first release is ignored
    } else if (/^- \S/.test(line)) {
      release.changes.push(line.slice(2).trim());
      inEntry = true;
    } else if (inEntry && /^ {2}(?!- )\S/.test(line)) {
      release.changes.push(`${release.changes.pop()} ${line.trim()}`);
    } else {
      throw changelogError(
        number,
        `must begin an entry ("- …") or continue one ("  …"), but is ${JSON.stringify(line)}`,
      );
    }
  }
  if (releases.length === 0) throw new Error('CHANGELOG.md has no release: add the line "## Unreleased"');
  const empty = releases.find(({ date, changes }) => date !== null && changes.length === 0);
  if (empty) throw new Error(`CHANGELOG.md: release ${empty.version} has no entries`);
  // Replaces links with their text, because links to other files do not work outside the repository.
  const withoutLinks = (change: string): string => change.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return releases.map((release) => ({ ...release, changes: release.changes.map(withoutLinks) }));
}

/**
 * Moves the unreleased entries of CHANGELOG.md under a heading with this version and date. Returns the new text and the
 * moved entries. Throws an error if there are no unreleased entries, or if the version is not higher than the last one.
 */
export function releaseUnreleasedEntries(text: string, version: string, day: string): { text: string; notes: string } {
  const [first, last] = parseReleases(text), heading = `## ${version} (${day})`;
  if (first!.version !== UNRELEASED_VERSION || first!.changes.length === 0) {
    throw new Error("CHANGELOG.md has no entries under Unreleased");
  }
  if (last && version.localeCompare(last.version, "en", { numeric: true }) <= 0) {
    throw new Error(`${version} is not above ${last.version}, the last release`);
  }
  const released = text.replace(/^## Unreleased\r?$/m, `## Unreleased\n\n${heading}`);
  parseReleases(released); // checks the order of the days
  return { text: released, notes: `${released.split(heading)[1]!.split(/^## /m)[0]!.trim()}\n` };
}

function readHeading(line: string, number: number, above: readonly ReleaseNotes[]): Omit<ReleaseNotes, "changes"> {
  const [, unreleased, version = UNRELEASED_VERSION, date = null] = HEADING.exec(line) ?? [];
  if (!unreleased && date === null) {
    throw changelogError(
      number,
      `must be "## Unreleased" or like "## 0.2.0 (2026-12-01)", but is ${JSON.stringify(line)}`,
    );
  }
  if (unreleased && above.length > 0) {
    throw changelogError(number, "has Unreleased below another release; Unreleased must be first");
  }
  if (above.some((other) => other.version === version)) {
    throw changelogError(number, `has release ${version} a second time`);
  }
  if (date !== null && !isCalendarDay(date)) throw changelogError(number, `has the invalid date ${date}`);
  const newer = above.at(-1)?.date;
  if (date !== null && newer && date > newer) {
    throw changelogError(number, "is newer than the release above it; releases must be sorted newest first");
  }
  return { version, date };
}

function changelogError(line: number, problem: string): Error {
  return new Error(`CHANGELOG.md, line ${line} ${problem}`);
}
