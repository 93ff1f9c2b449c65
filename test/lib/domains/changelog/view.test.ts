import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildChangelog } from "#lib/domains/changelog/view.ts";
import type { Config } from "#lib/base/config.ts";
import type { AnnouncedChange } from "#lib/base/notice.ts";

const test = suite("buildChangelog");

const from = new Date("2027-01-15T18:00:00Z");
const limit = (name: string, since: string): AnnouncedChange => {
  return { kind: "limit", id: `limit ${name}`, title: name, since: new Date(since), from, note: "Ask less." };
};
const app = {
  notices: [limit("first", "2026-11-01"), limit("second", "2026-12-01")],
  config: { publicUrl: new URL("https://hubs.example.org") } as Config,
  release: { api: "v0", version: "0.2.0", commit: "abc" },
};

test("shows whether each announcement is in effect, to the millisecond", () => {
  const stateAt = (at: number) => buildChangelog(app, [], new Date(at)).notices[0]!.state;
  assert.is(stateAt(from.getTime() - 1), "announced");
  assert.is(stateAt(from.getTime()), "in_effect");
});

test("keeps announcements in effect, newest first", () => {
  const { notices } = buildChangelog(app, [], new Date("2036-01-01"));
  assert.equal(notices.map(({ id }) => id), ["limit/second", "limit/first"]);
});

test("has no endpoint fields for a limit", () => {
  assert.equal(Object.keys(buildChangelog(app, [], from).notices[0]!).filter((key) => /method|path/.test(key)), []);
});

test.run();
