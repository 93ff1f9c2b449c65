import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { buildChartBars } from "#lib/portal/spokes/activity.ts";

const test = suite("buildChartBars");
const NOW = new Date("2026-11-23T12:34:56Z");
const ago = (ms: number, failed = false) => ({ at: new Date(NOW.getTime() - ms), failed });

test("counts each event once, for any time range", () => {
  for (const reach of [0, MINUTE, 5 * HOUR, 3 * DAY, 29 * DAY, 400 * DAY]) {
    const points = [ago(reach, true), ago(reach / 2), ago(reach / 3, true), ago(0)];
    const { bars } = buildChartBars(points, NOW),
      sum = (of: "all" | "failed") => bars.reduce((total, bar) => total + bar[of], 0);
    assert.equal([sum("all"), sum("failed")], [4, 2], `${reach} ms`);
    assert.ok(bars.length >= 24 && bars.length <= 30, `${bars.length} bars for ${reach} ms`);
  }
});

test("ends at the given time, even without events there", () => {
  const { bars, each } = buildChartBars([ago(20 * DAY)], NOW);
  assert.is(each, "day");
  assert.is(bars.at(-1)!.from.toISOString(), "2026-11-23T00:00:00.000Z");
  assert.is(bars.at(-1)!.all, 0);
});

test.run();
