/**
 * Counts durations in buckets. Each bucket's duration is about 7% longer than the one before. Unlike percentiles, the
 * counts of several days or hubs can be added. A percentile of the sum is accurate to about 5%.
 */
import { type RawBuilder, sql } from "kysely";

const BUCKETS_PER_DOUBLING = 10;
const SHORTEST_SECONDS = 0.1;

/** The number of durations in each bucket. */
export type BucketCounts = ReadonlyMap<number, number>;

/** Returns the SQL expression for the bucket of an interval, as text. */
export function buildBucketExpression(interval: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`round(${sql.lit(BUCKETS_PER_DOUBLING)} / ln(2::float8)
    * ln(greatest(extract(epoch from ${interval})::float8, ${sql.lit(SHORTEST_SECONDS)})))::integer::text`;
}

/** Returns the seconds below which this share of the durations (0 to 1) is. Null if there are none. */
export function findPercentile(counts: BucketCounts, share: number): number | null {
  const sorted = [...counts].sort(([one], [other]) => one - other);
  const all = sorted.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of sorted) {
    seen += count;
    if (seen >= share * all) return roundSeconds(2 ** (bucket / BUCKETS_PER_DOUBLING));
  }
  return null;
}

export function addBuckets(all: readonly BucketCounts[]): BucketCounts {
  const sum = new Map<number, number>();
  for (const [bucket, count] of all.flatMap((counts) => [...counts])) sum.set(bucket, (sum.get(bucket) ?? 0) + count);
  return sum;
}

function roundSeconds(seconds: number): number {
  return seconds < 100 ? Math.round(seconds * 10) / 10 : Math.round(seconds);
}
