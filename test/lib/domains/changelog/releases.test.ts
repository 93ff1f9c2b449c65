import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseReleases, releaseUnreleasedEntries } from "#lib/domains/changelog/releases.ts";

const test = suite("parseReleases");

const HEAD = "# Changelog\n\nWhat users notice.\n\n";

test("reads entries over several lines, newest release first", () => {
  const text = HEAD + [
    "## Unreleased",
    "",
    "- One that goes on, `GET",
    "  /api/x`, and on",
    "  and on.",
    "- Another ([of",
    "  them](docs/them.md)).",
    "",
    "- After a gap.",
    "",
    "## 0.2.0 (2026-12-01)",
    "- Fixed.",
    "## 0.2.0-rc.1 (2026-12-01)",
    "- Tried.",
    "",
  ].join("\n");
  const expected = [
    {
      version: "unreleased",
      date: null,
      changes: ["One that goes on, `GET /api/x`, and on and on.", "Another (of them).", "After a gap."],
    },
    { version: "0.2.0", date: "2026-12-01", changes: ["Fixed."] },
    { version: "0.2.0-rc.1", date: "2026-12-01", changes: ["Tried."] },
  ];
  assert.equal(parseReleases(text), expected);
  assert.equal(parseReleases(text.replaceAll("\n", "\r\n")), expected);
});

test("reads the entries of all groups in order", () => {
  const text = `${HEAD}## Unreleased\n\n### Added\n\n- X.\n  Y.\n\n### Fixed\n\n- Z.\n`;
  assert.equal(parseReleases(text)[0]!.changes, ["X. Y.", "Z."]);
});

test("accepts an empty section only for unreleased changes", () => {
  assert.equal(parseReleases(`${HEAD}## Unreleased\n`), [{ version: "unreleased", date: null, changes: [] }]);
});

test("reads the changelog of this program completely", async () => {
  const text = await readFile(new URL("../../../../CHANGELOG.md", import.meta.url), "utf8");
  const releases = parseReleases(text);
  assert.is(releases.flatMap(({ changes }) => changes).length, [...text.matchAll(/^- /gm)].length);
  assert.equal(
    releases.flatMap(({ changes }) => changes).join(" ").replace(/\s+/g, ""),
    text.slice(text.indexOf("\n## ")).replace(/^##+ .*$/gm, "").replace(/^- /gm, "").replace(/\s+/g, "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"),
  );
});

const REFUSED: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  ["without a title", "## Unreleased\n", /^CHANGELOG.md, line 1 must be the title/],
  ["without a release", HEAD, /has no release/],
  ["with a heading of another form", `${HEAD}## v0.2.0\n`, /line 5 must be "## Unreleased" or like .* is "## v0.2.0"/],
  ["with a release that has no day", `${HEAD}## 0.2.0\n- X.\n`, /line 5 must be/],
  ["with an invalid date", `${HEAD}## 0.2.0 (2026-02-30)\n- X.\n`, /line 5 has the invalid date 2026-02-30/],
  [
    "with a release twice",
    `${HEAD}## 0.2.0 (2026-02-03)\n- X.\n## 0.2.0 (2026-02-03)\n- X.\n`,
    /line 7 .* second time/,
  ],
  [
    "with an older release first",
    `${HEAD}## 0.1.0 (2026-02-03)\n- X.\n## 0.2.0 (2026-02-04)\n- X.\n`,
    /line 7 is newer/,
  ],
  [
    "with Unreleased further down",
    `${HEAD}## 0.1.0 (2026-02-03)\n- X.\n## Unreleased\n`,
    /line 7 has Unreleased below/,
  ],
  ["with a release of nothing", `${HEAD}## 0.1.0 (2026-02-03)\n`, /release 0.1.0 has no entries/],
  ["with an unknown group", `${HEAD}## Unreleased\n### News\n- X.\n`, /line 6 must be .* is "### News"/],
  ["with text that is no entry", `${HEAD}## Unreleased\n\nText.\n`, /line 7 must begin an entry .* is "Text."/],
  ["with another bullet", `${HEAD}## Unreleased\n* X.\n`, /line 6 must begin an entry/],
  ["with a list in an entry", `${HEAD}## Unreleased\n- X:\n  - Y.\n`, /line 7 must begin an entry/],
  ["with a paragraph in an entry", `${HEAD}## Unreleased\n- X.\n\n  Y.\n`, /line 8 must begin an entry/],
  ["with an entry of nothing", `${HEAD}## Unreleased\n- \n`, /line 6 must begin an entry/],
  ["with a control character", `${HEAD}## Unreleased\n- X\x1b[1m.\n`, /line 6 contains a control character/],
];

for (const [what, text, says] of REFUSED) {
  test(`rejects a file ${what}, and names the line`, () => {
    assert.throws(
      () => parseReleases(text),
      (error: Error) => says.test(error.message) || assert.match(error.message, says),
    );
  });
}

const OPEN = `${HEAD}## Unreleased\n\n- New,\n  indeed.\n- Old.\n\n## 0.9.0 (2026-12-01)\n\n- X.\n`;

test("moves unreleased entries under a version and day, and returns them as notes", () => {
  const { text, notes } = releaseUnreleasedEntries(OPEN, "0.10.0", "2026-12-02");
  assert.is(text, OPEN.replace("## Unreleased\n", "## Unreleased\n\n## 0.10.0 (2026-12-02)\n"));
  assert.is(notes, "- New,\n  indeed.\n- Old.\n");
  assert.is(releaseUnreleasedEntries(`${HEAD}## Unreleased\n- X.\n`, "0.1.0", "2026-12-02").notes, "- X.\n");
});

for (
  const [what, text, version, day, says] of [
    ["with nothing unreleased", OPEN.replace(/- New[^]*Old.\n/, ""), "1.0.0", "2026-12-02", /no entries under Unrel/],
    ["without the heading", `${HEAD}## 0.9.0 (2026-12-01)\n- X.\n`, "1.0.0", "2026-12-02", /no entries under Unrel/],
    ["for the last version again", OPEN, "0.9.0", "2026-12-02", /0.9.0 is not above 0.9.0/],
    ["for a version before the last", OPEN, "0.8.11", "2026-12-02", /0.8.11 is not above 0.9.0/],
    ["for a day before the last", OPEN, "0.10.0", "2026-11-30", /is newer than the release above it/],
  ] as const
) {
  test(`does not close a file ${what}`, () => {
    assert.throws(
      () => releaseUnreleasedEntries(text, version, day),
      (error: Error) => says.test(error.message) || assert.match(error.message, says),
    );
  });
}

test.run();
