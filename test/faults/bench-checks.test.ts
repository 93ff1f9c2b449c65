/** Tests the checks of the chaos test: each finds its violation, and none reports a correct state. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedChange, WriteRecord } from "#lib/dev/simulator/store/recorder.ts";
import {
  findDuplicateNamespaces,
  findEarlyTakeovers,
  findMissedEvents,
  findOverlappingInstalls,
  findWritesByOthers,
  type OwnedNamespace,
} from "#test/support/bench/checks.ts";
import type { HolderChange } from "#test/support/bench/holder-timeline.ts";

const test = suite("bench checks");

const HOLDINGS: OwnedNamespace[] = ["a", "b"].map((name) => ({
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

test("find overlapping installs of a hub", () => {
  const done = { conditions: ["Complete=True"] };
  const begin = (name: string, at: string) => happening("ADDED", name, at);
  const one = [begin("install-1", "spoke-a"), happening("MODIFIED", "install-1", "spoke-a", done)];
  assert.equal(findOverlappingInstalls([...one, begin("install-2", "spoke-b")], HOLDINGS), []);
  assert.equal(findOverlappingInstalls([begin("install-1", "spoke-a"), begin("health-2", "spoke-b")], HOLDINGS), []);
  assert.is(
    findOverlappingInstalls([begin("install-1", "spoke-a"), begin("install-2", "spoke-b")], HOLDINGS).length,
    1,
  );
  assert.is(
    findOverlappingInstalls([begin("install-1", "spoke-a"), begin("install-3", "spoke-a")], HOLDINGS).length,
    1,
  );
});

test("find a namespace that was created twice or that does not match its row", () => {
  const made = (name: string, uid: string) => happening("ADDED", name, "", { kind: "Namespace", namespace: null, uid });
  assert.equal(findDuplicateNamespaces([made("spoke-a", "uid-a"), made("kube-system", "x")], HOLDINGS), []);
  assert.is(findDuplicateNamespaces([made("spoke-a", "uid-a"), made("spoke-a", "uid-a")], HOLDINGS).length, 1);
  assert.is(findDuplicateNamespaces([made("spoke-a", "another")], HOLDINGS).length, 1);
});

function hold(at: number, holder: string | null, more: Partial<HolderChange> = {}): HolderChange {
  const subject = { job: "op", kind: "provision", lane: null, spokeId: "spk_a", federationId: "fed" };
  const before = { stateBefore: "running", holderBefore: "rep_old", fenceBefore: 1, silence: 5000 };
  return { ...subject, ...before, state: holder ? "running" : "succeeded", holder, fence: 2, at, ...more };
}

test("find a write by a replica that is not the holder", () => {
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
  const find = (...writes: WriteRecord[]) => findWritesByOthers(writes, [], holds, HOLDINGS).length;
  assert.is(find(write("rep_old", 5_000), write("rep_new", 10_000)), 0);
  assert.is(find(write("rep_old", 10_000, { changed: false, status: 422 })), 0);
  assert.is(find(write("rep_old", 10_000)), 1);
  assert.is(find(write("rep_new", 5_000)), 1);
  assert.is(find(write("rep_new", 21_000)), 1);
  const upkeep = { job: "keep", kind: "update-site-records", spokeId: null, federationId: null };
  holds.push(hold(30_000, "rep_old", upkeep), hold(31_000, null, upkeep));
  const siteRecord = { method: "PATCH", path: "/api/v1/namespaces/spoke-a/configmaps/wheelwright?fieldManager=w" };
  assert.is(find(write("rep_old", 30_500, siteRecord)), 0);
  assert.is(find(write("rep_old", 32_000, siteRecord)), 1);
  assert.is(find(write("rep_old", 30_500)), 1);
  const made = happening("ADDED", "spoke-a", "", { namespace: null, write: 1 });
  assert.is(
    findWritesByOthers([write("rep_old", 10_000, { path: "/api/v1/namespaces" })], [made], holds, HOLDINGS).length,
    1,
  );
});

test("find a takeover that came too early, but accept a replica that reclaims its own job", () => {
  assert.equal(findEarlyTakeovers([hold(1, "rep_new"), hold(1, "rep_old", { silence: 10 }), hold(1, null)]), []);
  assert.is(findEarlyTakeovers([hold(1, "rep_new", { silence: 3_500 })]).length, 1);
  assert.is(findEarlyTakeovers([hold(1, "rep_new", { silence: null })]).length, 1);
});

test("find an event that a reader missed, received twice or received too early", () => {
  assert.equal(findMissedEvents("hub", [1, 2, 3], 3), []);
  for (const numbers of [[1, 3], [1, 2, 2, 3], [2, 3], [1, 2], [1, 3, 2]]) {
    assert.is(findMissedEvents("hub", numbers, 3).length, 1, String(numbers));
  }
});

test.run();
