/** Tests percentiles of durations that are counted in buckets. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sql } from "kysely";
import { addBuckets, buildBucketExpression, findPercentile } from "#lib/domains/history/buckets.ts";
import { openTestDatabase } from "#test/support/database.ts";

const test = suite("findPercentile");

test("is within 4% and 0.05 s of the duration, for any duration up to a day", async () => {
  const db = await openTestDatabase();
  const { rows } = await sql<{ seconds: number; bucket: string }>`
    select seconds::float8, ${buildBucketExpression(sql`seconds * interval '1 second'`)} as bucket
    from (select 0.1 * power(1.03, n) as seconds from generate_series(0, 460) as n) as each`.execute(db.rows);
  await db.close();
  assert.is(rows.length, 461);
  for (const { seconds, bucket } of rows) {
    const found = findPercentile(new Map([[Number(bucket), 1]]), 0.5)!;
    assert.ok(Math.abs(found - seconds) <= 0.05 + 0.04 * seconds, `${seconds} becomes ${found}`);
  }
});

test("counts all durations of all days", () => {
  const all = addBuckets([new Map([[0, 1], [10, 1]]), new Map([[10, 1], [20, 1]])]);
  assert.equal([0.25, 0.5, 0.75, 0.95].map((share) => findPercentile(all, share)), [1, 2, 2, 4]);
});

test("is null without durations", () => {
  assert.is(findPercentile(addBuckets([]), 0.5), null);
});

test.run();
