import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shownMeans, withoutMeans, withoutMeansIn } from "#lib/base/means.ts";

const test = suite("withoutMeans");

test("takes commands out of a sentence and leaves the rest of it", () => {
  const cases = [
    [
      "The password stands in the Secret admin: kubectl get secret admin -n w-oak -o yaml",
      "The password stands in the Secret admin",
    ],
    [
      "Nodes are cordoned: uncordon one (kubectl uncordon), or add nodes.",
      "Nodes are cordoned: uncordon one, or add nodes.",
    ],
    ["Delete it: kubectl delete pvc data-db-0. Then retry.", "Delete it. Then retry."],
    ["Retry. Or have an operator go back: wheelwright restore spk_1 --back", "Retry. Or have an operator go back"],
    ["Restore one (wheelwright restore spk_1 --list); or wait.", "Restore one; or wait."],
    ["Nothing of the kind is said here: wait.", "Nothing of the kind is said here: wait."],
  ];
  for (const [whole, plain] of cases) assert.is(withoutMeans(whole!), plain);
});

test("says what is stored and not by what name", () => {
  const cases = [
    [
      "VolumeSnapshotContent snapcontent-0b1e stays: its snapshot is gone",
      "What is stored of a snapshot stays: its snapshot is gone",
    ],
    [
      "Cannot keep the backup: VolumeSnapshotContent x-1 would be deleted",
      "Cannot keep the backup: what is stored of a snapshot would be deleted",
    ],
    ['Failed: snapshot content "snapcontent-2" has an error', "Failed: what is stored of a snapshot has an error"],
    ["No room for snapcontent-7.", "No room for what is stored of a snapshot."],
  ];
  for (const [whole, plain] of cases) assert.is(withoutMeans(whole!), plain);
});

test("goes through whatever is shown, and keeps what is no text", () => {
  const at = new Date(0), hint = "Do it (kubectl apply)";
  const value = { at, count: 3, none: null, notes: [hint], error: { hint, log: [hint] } };
  const plain = { at, count: 3, none: null, notes: ["Do it"], error: { hint: "Do it", log: ["Do it"] } };
  assert.equal(withoutMeansIn(value), plain);
  assert.is(shownMeans({ role: "operator" }, value), value);
  for (const role of ["hub_admin", "spoke_admin"]) assert.equal(shownMeans({ role }, value), plain);
});

test.run();
