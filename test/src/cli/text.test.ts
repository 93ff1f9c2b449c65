/** Tests text and tables: removing control characters, and fitting the terminal. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Terminal } from "#src/cli/terminal.ts";
import { renderRecord, renderTable, type TableColumn } from "#src/cli/table.ts";
import { formatJson, sanitizeLine, sanitizeLines, textWidth, truncateText } from "#src/cli/text.ts";
import { formatClockDuration, formatRelativeTime, formatTimeOrDate, parseDuration } from "#src/cli/times.ts";

const test = suite("text on a terminal");

const terminal = (width: number, out = true): Terminal => ({
  ...{ out, err: out, in: out, width, live: out },
  size: () => ({ columns: width, rows: 24 }),
  paint: (_, text) => text,
  paintErr: (_, text) => text,
});

test("replaces control characters by U+FFFD", () => {
  assert.is(sanitizeLine("a\x1b[2Jb\x9b1mc\x07d\u202ee\r\nf\tg\ud800"), "a\ufffd[2Jb\ufffd1mc\ufffdd\ufffde f g\ufffd");
  assert.is(sanitizeLines("a\n\x1bb\r\nc"), "a\n\ufffdb\nc");
  assert.is(formatJson({ a: "\x1b\x9b\u202e" }), String.raw`{"a":"\u001b\u009b\u202e"}`);
});

test("counts wide characters as two columns, and truncates between characters", () => {
  assert.equal(["ash", "日本", "e\u0301", "🚀"].map(textWidth), [3, 4, 1, 2]);
  assert.equal([truncateText("日本語", 5), truncateText("ash", 3), truncateText("birch", 3)], ["日本…", "ash", "bi…"]);
});

const COLUMNS: readonly TableColumn<{ slug: string; state: string; at: string }>[] = [
  ["SPOKE", (row) => row.slug],
  ["STATE", (row) => row.state, "state"],
  ["NAME", () => "A name that is rather long, 日本語 included"],
  ["AT", (row) => row.at, "time"],
];
const ROWS = [{ slug: "north/ash", state: "active", at: "2026-01-01T00:00:00Z" }];

test("fits a table to any width, and keeps the first column", () => {
  for (const width of [20, 40, 60, 80, 200]) {
    const lines = renderTable(terminal(width), ROWS, COLUMNS).text.trimEnd().split("\n");
    for (const line of lines) assert.ok(textWidth(line) <= width, `${width}: ${line}`);
    assert.match(lines[1]!, /^north\/ash/);
  }
});

test("counts hidden columns, and shows all columns without a width limit", () => {
  assert.is(renderTable(terminal(20), ROWS, COLUMNS).hidden, 2);
  const { text, hidden } = renderTable(terminal(Infinity), ROWS, COLUMNS);
  assert.is(hidden, 0);
  assert.match(text, /^SPOKE +STATE +NAME +AT\n/);
});

test("prints tab-separated values without headings and with ISO times for programs", () => {
  const { text } = renderTable(terminal(Infinity, false), ROWS, COLUMNS);
  assert.is(text, "north/ash\tactive\tA name that is rather long, 日本語 included\t2026-01-01T00:00:00Z\n");
  assert.is(renderRecord(terminal(Infinity, false), [["state", "active"], ["because", null]]), "state\tactive\n");
});

test("formats relative times", () => {
  const now = Date.parse("2026-06-15T12:00:00Z");
  const times = ["2026-06-15T11:59:30Z", "2026-06-15T11:57:00Z", "2026-06-13T12:00:00Z", "2026-06-15T15:00:00Z"];
  assert.equal(times.map((at) => formatRelativeTime(at, now)), [
    "just now",
    "3 minutes ago",
    "2 days ago",
    "in 3 hours",
  ]);
  assert.equal([42_000, 187_000, 3_723_000].map(formatClockDuration), ["42 s", "3:07", "1:02:03"]);
});

test("formats events of today as times, and older events as dates", () => {
  const now = new Date(2026, 5, 15, 12), of = (day: number, hour: number) => new Date(2026, 5, day, hour, 4, 5);
  assert.equal([of(15, 9), of(15, 23)].map((at) => formatTimeOrDate(at.toISOString(), now)), [
    "09:04:05  ",
    "23:04:05  ",
  ]);
  assert.is(formatTimeOrDate(of(14, 23).toISOString(), now), "2026-06-14");
});

test("parses durations with units, and rejects other text", () => {
  assert.equal(["90s", "10m", "2h", "7"].map((text) => parseDuration("--timeout", text)), [
    90_000,
    600_000,
    7_200_000,
    7000,
  ]);
  for (const text of ["", "soon", "-1s", "0", "99d"]) {
    assert.throws(() => parseDuration("--timeout", text), /--timeout must be/);
  }
});

test.run();
