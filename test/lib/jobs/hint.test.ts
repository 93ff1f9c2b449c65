import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildFailureHint, buildRetryHint } from "#lib/jobs/hint.ts";

const test = suite("buildFailureHint");
const after = (kind: string, state?: string, visible = true, hint = "See the log; then retry.") =>
  buildFailureHint(hint, { kind, visible }, state);

test("keeps the word retry for operations that have a retry action", () => {
  assert.is(after("provision", "failed"), "See the log; then retry.");
  assert.is(after("provision-hub", "failed"), "See the log; then retry.");
  assert.is(after("upgrade", "failed"), "See the log; then retry.");
});

test("replaces retry by a request for the same action", () => {
  assert.is(after("restart", "active"), "See the log; then request the action restart again.");
  assert.is(after("resume", "suspended"), "See the log; then request the action resume again.");
  assert.is(after("upgrade", "active"), "See the log; then request the action upgrade again.");
  assert.is(after("reapply", "failed"), "See the log; then request the action reapply again.");
  assert.is(after("restore", "failed"), "See the log; then restore it again.", "it is no action of the API");
  assert.is(after("backup"), "See the log; then request the action backup again.");
});

test("does not change a hint that names what to retry, or of a hidden job", () => {
  assert.is(after("reapply", "failed", true, "Restore it, or retry the upgrade."), "Restore it, or retry the upgrade.");
  assert.is(after("send-mail", undefined, false), "See the log; then retry.");
  assert.is(buildFailureHint(null, { kind: "restart", visible: true }, "active"), null);
});

test("says that a retried operation continues automatically", () => {
  assert.is(
    buildRetryHint("Fix the cause, then retry."),
    "Fix the cause, then the operation continues automatically.",
  );
  assert.is(buildRetryHint(null), null);
});

test.run();
