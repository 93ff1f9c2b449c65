/** Tests the checks of the chaos test: each finds its violation, and none reports a correct state. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedChange, WriteRecord } from "#lib/dev/simulator/store/recorder.ts";
import {
  findDoubledNamespaces,
  findHastyTakeovers,
  findLateWrites,
  findMissed,
  findOverlaps,
  type Holding,
} from "#test/support/bench/checks.ts";
import type { Hold } from "#test/support/bench/holder-timeline.ts";

const test = suite("the checks of the bench");

const HOLDINGS: Holding[] = ["a", "b"].map((name) => ({
  id: `spk_${name}`,
  federationId: "fed",
  state: "active",
  namespace: `spoke-${name}`,
  uid: `uid-${name}`,
}));

let n = 0;
function happening(
  type: RecordedChange["type"],
  name: string,
  namespace: string,
  more: Partial<RecordedChange> = {},
): RecordedChange {
  const at = new Date(1000 * ++n).toISOString();
  const nothing = { phase: null, replicas: null, ready: null, active: 0, succeeded: 0, failed: 0, conditions: [] };
  const object = { kind: "Job", namespace, name, uid: `${namespace}/${name}`, resourceVersion: "1", deleting: false };
  return { n, at, write: null, type, ...object, ...nothing, ...more };
}

test("find an install that began before the hub's last one had ended", () => {
  const done = { conditions: ["Complete=True"] };
  const begin = (name: string, at: string) => happening("ADDED", name, at);
  const one = [begin("install-1", "spoke-a"), happening("MODIFIED", "install-1", "spoke-a", done)];
  assert.equal(findOverlaps([...one, begin("install-2", "spoke-b")], HOLDINGS), []);
  assert.equal(findOverlaps([begin("install-1", "spoke-a"), begin("health-2", "spoke-b")], HOLDINGS), []);
  assert.is(findOverlaps([begin("install-1", "spoke-a"), begin("install-2", "spoke-b")], HOLDINGS).length, 1);
  assert.is(findOverlaps([begin("install-1", "spoke-a"), begin("install-3", "spoke-a")], HOLDINGS).length, 1);
});

test("find a namespace that was made twice, and one that its row does not remember", () => {
  const made = (name: string, uid: string) => happening("ADDED", name, "", { kind: "Namespace", namespace: null, uid });
  assert.equal(findDoubledNamespaces([made("spoke-a", "uid-a"), made("kube-system", "x")], HOLDINGS), []);
  assert.is(findDoubledNamespaces([made("spoke-a", "uid-a"), made("spoke-a", "uid-a")], HOLDINGS).length, 1);
  assert.is(findDoubledNamespaces([made("spoke-a", "another")], HOLDINGS).length, 1);
});

function hold(at: number, holder: string | null, more: Partial<Hold> = {}): Hold {
  const subject = { job: "op", kind: "provision", lane: null, spokeId: "spk_a", federationId: "fed" };
  const before = { stateBefore: "running", holderBefore: "rep_old", fenceBefore: 1, silence: 5000 };
  return { ...subject, ...before, state: holder ? "running" : "succeeded", holder, fence: 2, at, ...more };
}

test("find a write that changed something and was not the holder's", () => {
  const holds = [
    hold(1_000, "rep_old", { stateBefore: "queued", holderBefore: null }),
    hold(9_000, "rep_new"),
    hold(20_000, null),
  ];
  const write = (by: string, at: number, more: Partial<WriteRecord> = {}): WriteRecord => ({
    n: 1,
    at: new Date(at).toISOString(),
    method: "POST",
    path: "/apis/batch/v1/namespaces/spoke-a/jobs",
    fieldManager: null,
    dryRun: false,
    userAgent: `wheelwright/1 (${by})`,
    fence: null,
    status: 201,
    changed: true,
    resourceVersion: "1",
    ...more,
  });
  const find = (...writes: WriteRecord[]) => findLateWrites(writes, [], holds, HOLDINGS).length;
  assert.is(find(write("rep_old", 5_000), write("rep_new", 10_000)), 0);
  assert.is(find(write("rep_old", 10_000, { changed: false, status: 422 })), 0);
  assert.is(find(write("rep_old", 10_000)), 1);
  assert.is(find(write("rep_new", 5_000)), 1);
  assert.is(find(write("rep_new", 21_000)), 1);
  const upkeep = { job: "keep", kind: "keep-particulars", spokeId: null, federationId: null };
  holds.push(hold(30_000, "rep_old", upkeep), hold(31_000, null, upkeep));
  const particulars = { method: "PATCH", path: "/api/v1/namespaces/spoke-a/configmaps/wheelwright?fieldManager=w" };
  assert.is(find(write("rep_old", 30_500, particulars)), 0);
  assert.is(find(write("rep_old", 32_000, particulars)), 1);
  assert.is(find(write("rep_old", 30_500)), 1);
  const made = happening("ADDED", "spoke-a", "", { namespace: null, write: 1 });
  assert.is(
    findLateWrites([write("rep_old", 10_000, { path: "/api/v1/namespaces" })], [made], holds, HOLDINGS).length,
    1,
  );
});

test("find a holder who was given up too early, but not one who takes back its own", () => {
  assert.equal(findHastyTakeovers([hold(1, "rep_new"), hold(1, "rep_old", { silence: 10 }), hold(1, null)]), []);
  assert.is(findHastyTakeovers([hold(1, "rep_new", { silence: 3_500 })]).length, 1);
  assert.is(findHastyTakeovers([hold(1, "rep_new", { silence: null })]).length, 1);
});

test("find an event that a reader missed, saw twice, or saw too early", () => {
  assert.equal(findMissed("hub", [1, 2, 3], 3), []);
  for (const seen of [[1, 3], [1, 2, 2, 3], [2, 3], [1, 2], [1, 3, 2]]) {
    assert.is(findMissed("hub", seen, 3).length, 1, String(seen));
  }
});

test.run();
