import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diagnoseObject } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { MINUTE } from "#lib/base/time.ts";
import {
  aboutObject,
  assertImpossible,
  assertWaiting,
  crashedContainer,
  deployment,
  event,
  timestampAt,
  waitClockAt,
} from "#test/support/kube/samples.ts";

const test = suite("diagnosePod, crashing containers");

test("allows a crashing container five restarts", () => {
  assertWaiting(
    diagnoseObject(deployment(), [crashedContainer(4)], [], waitClockAt(MINUTE)),
    /has crashed 5 times \(Error, exit code 1\)/,
  );
  assertImpossible(
    diagnoseObject(deployment(), [crashedContainer(5)], [], waitClockAt(MINUTE)),
    "CrashLoopBackOff",
    /back-off 10s restarting/,
  );
});

test("allows one more start after a crash from before the wait", () => {
  const before = 10 * MINUTE,
    seen = (pod: KubeObject, ms: number) => diagnoseObject(deployment(), [pod], [], waitClockAt(ms, before));
  for (const reason of ["Error", "OOMKilled"]) {
    assertWaiting(
      seen(crashedContainer(9, reason), before + 5 * MINUTE),
      /crashed and will be restarted within minutes/,
    );
    assert.is(seen(crashedContainer(10, reason, timestampAt(before + MINUTE)), before + MINUTE).is, "impossible");
    assert.is(seen(crashedContainer(9, reason), before + 6 * MINUTE).is, "impossible", "nobody restarts the container");
  }
});

test("reports a crash caused by lack of memory", () => {
  assertImpossible(
    diagnoseObject(deployment(), [crashedContainer(5, "OOMKilled")], [], waitClockAt(MINUTE)),
    "OOMKilled",
    /ran out of memory/,
  );
});

test("reports the probe's message if the probe keeps killing the container", () => {
  const events = [
    event(
      aboutObject(crashedContainer(5)),
      "Unhealthy",
      "Liveness probe failed: curl: (7) Failed to connect",
      5 * MINUTE,
    ),
    event(
      aboutObject(crashedContainer(5)),
      "Killing",
      "Container moodle failed liveness probe, will be restarted",
      5 * MINUTE,
    ),
  ];
  const verdict = diagnoseObject(deployment(), [crashedContainer(5)], events, waitClockAt(6 * MINUTE));
  assertImpossible(verdict, "CrashLoopBackOff", /because its probe fails: Liveness probe failed: curl: \(7\)/);
});

test.run();
