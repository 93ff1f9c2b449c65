import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBulkMailJob, createMailJob } from "#lib/jobs/mail.ts";

const test = suite("createMailJob");

const laneOf = (email: string) =>
  createMailJob({ template: "request-approved", to: { email, name: "" }, about: { hub: "North", slug: "north" } }).lane;

test("spreads addresses over four lanes, with one lane per address", () => {
  const lanes = Array.from({ length: 400 }, (_, i) => laneOf(`user${i}@example.org`));
  assert.equal([...new Set(lanes)].sort(), ["mail:0", "mail:1", "mail:2", "mail:3"]);
  for (const lane of new Set(lanes)) assert.ok(lanes.filter((each) => each === lane).length > 50, `${lane}`);
  assert.is(laneOf("адa@example.org"), laneOf("адa@example.org"));
});

test("contains no secret, only the ID of the one-time token", () => {
  const about = { inviter: "Ann", places: ["North"], expiresAt: "2026-11-28T14:05:00.000Z" };
  const letter = { template: "invitation", to: { email: "ada@example.org", name: "Ada" }, about } as const;
  assert.equal(createMailJob(letter, "ott_1").payload, { letter, grantId: "ott_1" });
});

test("puts emails to many recipients into separate lanes", () => {
  const about = { hub: "North", slug: "north" };
  const jobs = Array.from(
    { length: 100 },
    (_, i) =>
      createBulkMailJob({ template: "request-approved", to: { email: `user${i}@example.org`, name: "" }, about }),
  );
  assert.equal([...new Set(jobs.map(({ lane }) => lane))].sort(), ["bulk-mail:0", "bulk-mail:1"]);
});

test.run();
