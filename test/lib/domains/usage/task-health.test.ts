import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { findTaskProblems, type TaskHealth } from "#lib/domains/usage/task-health.ts";

const test = suite("findTaskProblems");
const NOW = new Date("2026-11-27T12:00:00Z"), ago = (ms: number) => new Date(NOW.getTime() - ms);
const FINE: TaskHealth = {
  failing: 0,
  names: [],
  waitingSince: null,
  failedChecks: [],
  checkedAt: ago(30 * MINUTE).toISOString(),
};
const problems = (health: Partial<TaskHealth>, measured = 10 * MINUTE) =>
  findTaskProblems({ ...FINE, ...health }, ago(measured), NOW).length;

test("finds none in failing tasks, because Moodle repeats them", () => {
  assert.is(problems({ failing: 3, names: ["\\core\\task\\send_mail"], failedChecks: ["tool_task_maxfaildelay"] }), 0);
});

test("finds a task that has waited for four hours, when the site measured it", () => {
  const waitingSince = (ms: number) => ({ waitingSince: ago(10 * MINUTE + ms).toISOString() });
  assert.equal([problems(waitingSince(4 * HOUR - 1)), problems(waitingSince(4 * HOUR))], [0, 1]);
  assert.is(problems(waitingSince(9 * HOUR), 2 * HOUR), 0, "an old result decides nothing");
});

test("finds a pending upgrade in a recent check", () => {
  const pending = { failedChecks: ["core_upgradecheck"] };
  assert.equal([problems(pending), problems({ ...pending, checkedAt: ago(2 * HOUR).toISOString() })], [1, 0]);
  assert.is(problems({ failedChecks: null, checkedAt: null }), 0);
});

test.run();
