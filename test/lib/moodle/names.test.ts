import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { buildNamespaceName, isReleaseNamespaceName } from "#lib/moodle/names.ts";

const test = suite("namespaceName");
const release = "main", slug = "biology";

test("contains the release ID, the slug and the random end of the ID", () => {
  const id = "spk_06fj2c4v7tq0w1x9n3m8k5r2dg";
  assert.is(buildNamespaceName("spoke", { release, slug, id }), "spoke-main-biology-x9n3m8k5r2dg");
  assert.is(buildNamespaceName("hub", { release: "b2", slug, id }), "hub-b2-biology-x9n3m8k5r2dg");
});

test("is an RFC 1123 label for the longest slug, release ID and kind", () => {
  for (const slug of ["a", "a".repeat(40), "a-".repeat(19) + "b", "a".repeat(200), "a" + "-".repeat(60) + "b"]) {
    const name = buildNamespaceName("sandbox", { release: "r".repeat(16), slug, id: createId("spk") });
    assert.match(name, /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/);
    assert.ok(name.length <= 63, name);
  }
});

test("differs for IDs that were created at the same time", () => {
  const names = Array.from({ length: 2000 }, () => buildNamespaceName("spoke", { release, slug, id: createId("spk") }));
  assert.is(new Set(names).size, 2000);
});

test("belongs to exactly one release ID", () => {
  for (const kind of ["hub", "spoke", "sandbox"] as const) {
    const name = buildNamespaceName(kind, { release, slug: "b", id: createId("spk") });
    assert.equal(["main", "mai", "main2", "b"].filter((each) => isReleaseNamespaceName(name, each)), ["main"]);
  }
  const similar = buildNamespaceName("spoke", { release: "a", slug: "main-b", id: createId("spk") });
  assert.equal([isReleaseNamespaceName(similar, "a"), isReleaseNamespaceName(similar, "main")], [true, false]);
  assert.not.ok(isReleaseNamespaceName("kube-main-system", release) || isReleaseNamespaceName("spoke-main", release));
});

test("rejects an ID that is too short, and invalid names", () => {
  assert.throws(() => buildNamespaceName("spoke", { release, slug, id: "spk_1234567" }), /8 or more/);
  assert.throws(
    () => buildNamespaceName("spoke", { release, slug: "Biology", id: createId("spk") }),
    /not a valid namespace name/,
  );
  assert.throws(
    () => buildNamespaceName("spoke", { release, slug: "a b", id: createId("spk") }),
    /not a valid namespace name/,
  );
});

test.run();
