import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { NewSpoke } from "#lib/domains/spokes/views.ts";
import { type DomainScene, finishOperations, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { RELEASE } from "#test/support/release.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ stage: DomainScene }>("createSpoke");
test.before(async (context) => {
  context.stage = await openDomainScene();
});
test.after(({ stage }) => stage.close());

const ask = (input: Partial<NewSpoke> & { slug: string }) => input as NewSpoke;

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return `${error.kind} ${error.code}: ${error.message}`;
    throw error;
  }
  return "no fault";
}

test("needs only a slug and applies the defaults", async ({ stage: { app, operator, hub } }) => {
  const home = await hub("defaults");
  const made = await createSpoke(app, operator, home, ask({ slug: "biology" }), null);
  const { displayName, domain, url, size, identity, content, adminEmail, region, lmsVersion, moodleVersion } = made;
  assert.equal(
    { displayName, domain, url, size, identity, content, adminEmail, region, lmsVersion, moodleVersion },
    {
      displayName: "biology",
      domain: "biology.spokes.example.org",
      url: "http://biology.spokes.example.org",
      size: "medium",
      identity: false,
      content: false,
      adminEmail: operator.email,
      region: null,
      lmsVersion: "4.5.12",
      moodleVersion: "4.5.12",
    },
  );
  assert.equal([made.state, made.status, made.health], ["provisioning", "provisioning", "unknown"]);
  assert.match(made.namespace, new RegExp(`^spoke-${RELEASE}-biology-`));
});

test("writes the row, audit event, stream event and install together", async ({ stage: { app, db, operator, hub } }) => {
  const home = await hub("together");
  const made = await createSpoke(app, operator, home, ask({ slug: "chemistry", size: "small" }), null);
  const [job] = await selectRows(db, "jobs", { spokeId: made.id });
  assert.equal([job.kind, job.lane, job.state, job.visible], ["provision", `federation:${home.id}`, "queued", true]);
  assert.is(made.operation!.id, job.id);
  const [audit] = await selectRows(db, "audit_events", { spokeId: made.id });
  assert.equal([audit.kind, audit.objectId, audit.actorId], ["spoke_requested", made.id, operator.userId]);
  assert.is(audit.metadata.size, "small");
  const [event] = await selectRows(db, "stream_events", { spokeId: made.id });
  assert.equal([event.type, event.data.operation.id], ["SpokeUpdateProvisioning", job.id]);
});

test("includes the hub's name in the domain of the second spoke with a slug", async ({ stage: { app, operator, hub } }) => {
  const one = await hub("hub-one"), two = await hub("hub-two");
  const first = await createSpoke(app, operator, one, ask({ slug: "physics" }), null);
  const second = await createSpoke(app, operator, two, ask({ slug: "physics" }), null);
  assert.equal([first.domain, second.domain], ["physics.spokes.example.org", "physics-hub-two.spokes.example.org"]);
});

test("rejects a slug that is used in the hub, but not in another hub", async ({ stage: { app, operator, hub } }) => {
  const one = await hub("slugs-one"), two = await hub("slugs-two");
  await createSpoke(app, operator, one, ask({ slug: "latin" }), null);
  assert.match(await codeOf(createSpoke(app, operator, one, ask({ slug: "latin" }), null)), /^conflict slug_taken/);
  assert.is(await codeOf(createSpoke(app, operator, two, ask({ slug: "latin" }), null)), "no fault");
});

test("rejects a taken domain without revealing whose it is", async ({ stage: { app, operator, hub } }) => {
  const one = await hub("secretive"), two = await hub("curious");
  const made = await createSpoke(app, operator, one, ask({ slug: "hidden", domain: "moodle.example.com" }), null);
  const fault = await codeOf(
    createSpoke(app, operator, two, ask({ slug: "nosy", domain: "moodle.example.com" }), null),
  );
  assert.match(fault, /^conflict domain_taken/);
  for (const secret of ["secretive", "hidden", one.id, made.id]) assert.not.match(fault, secret);
});

test("rejects a spoke if both default domains are taken", async ({ stage: { app, operator, hub } }) => {
  const one = await hub("art"), two = await hub("zoo");
  const domain = "music-zoo.spokes.example.org";
  await createSpoke(app, operator, one, ask({ slug: "music" }), null);
  await createSpoke(app, operator, one, ask({ slug: "thief", domain }), null);
  const fault = await codeOf(createSpoke(app, operator, two, ask({ slug: "music" }), null));
  assert.match(fault, /^conflict domain_taken/);
});

test("frees slug and domain when the spoke is removed", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const home = await hub("again");
  const { id } = await spoke(home, { slug: "phoenix" });
  await finishOperations(db, id, "removed");
  const made = await createSpoke(app, operator, home, ask({ slug: "phoenix" }), null);
  assert.is(made.domain, "phoenix.spokes.example.org");
  assert.is.not(made.id, id);
});

test("lets only one of many parallel callers have a slug", async ({ stage: { app, db, operator, hub } }) => {
  const home = await hub("race-slug");
  const all = await Promise.all(
    Array.from({ length: 6 }, () => codeOf(createSpoke(app, operator, home, ask({ slug: "rush" }), null))),
  );
  assert.is(all.filter((outcome) => outcome === "no fault").length, 1);
  assert.is(all.filter((outcome) => outcome.startsWith("conflict slug_taken")).length, 5);
  const [{ jobs }] = await db.sql(
    "select count(*)::int as jobs from jobs where federation_id = $1 and kind = 'provision'",
    [home.id],
  );
  assert.is(jobs, 1);
});

test("lets only one of many parallel callers have a domain, and the others use the next default", async ({ stage }) => {
  const { app, operator, hub } = stage;
  const hubs = await Promise.all(["ra", "rb", "rc", "rd"].map((slug) => hub(slug)));
  const outcomes = await Promise.all(
    hubs.map((home) =>
      codeOf(createSpoke(app, operator, home, ask({ slug: "dash", domain: "one.example.com" }), null))
    ),
  );
  assert.is(outcomes.filter((outcome) => outcome === "no fault").length, 1);
  const usual = await Promise.all(hubs.map((home) => createSpoke(app, operator, home, ask({ slug: "sprint" }), null)));
  assert.is(new Set(usual.map((made) => made.domain)).size, 4);
});

test("numbers the events of parallel creations without gaps", async ({ stage: { app, db, operator, hub } }) => {
  const home = await hub("numbers");
  const slugs = ["a", "b", "c", "d", "e", "f", "g", "h"];
  await Promise.all(slugs.map((slug) => createSpoke(app, operator, home, ask({ slug: `n-${slug}` }), null)));
  const events = await selectRows(db, "stream_events", { federationId: home.id }, {
    columns: ["number"],
    orderBy: "number",
  });
  assert.equal(events.map((event) => Number(event.number)), Array.from({ length: 9 }, (_, i) => i + 1));
});

test("accepts spokes while the hub is provisioning or failed, but not while it is removed", async ({ stage }) => {
  const { app, operator, hub } = stage;
  for (const state of ["provisioning", "active", "failed"] as const) {
    assert.is(
      await codeOf(createSpoke(app, operator, await hub(`in-${state}`, state), ask({ slug: state }), null)),
      "no fault",
    );
  }
  const going = await hub("going", "removing");
  const fault = await codeOf(createSpoke(app, operator, going, ask({ slug: "late" }), null));
  assert.match(fault, /^conflict federation_state: .*hub that is removing; the hub must be/);
});

test("returns the first reply for a repeated request, and a fault for another body", async ({ stage }) => {
  const { app, db, operator, hub } = stage;
  const home = await hub("repeat");
  const key = (hash: number) => ({
    userId: operator.userId,
    method: "POST",
    path: "/x",
    key: "k1",
    bodyHash: new Uint8Array(32).fill(hash),
  });
  const made = await Promise.all(
    Array.from({ length: 5 }, () => createSpoke(app, operator, home, ask({ slug: "twice" }), key(1))),
  );
  assert.is(new Set(made.map((spoke) => spoke.id)).size, 1);
  const [{ count }] = await db.sql("select count(*)::int from spokes where federation_id = $1", [home.id]);
  assert.is(count, 1);
  const fault = await codeOf(createSpoke(app, operator, home, ask({ slug: "other" }), key(2)));
  assert.match(fault, "impossible idempotency_key_reused");
});

test("stores no reply of a refused request", async ({ stage: { app, operator, hub } }) => {
  const home = await hub("refused");
  const key = { userId: operator.userId, method: "POST", path: "/y", key: "k2", bodyHash: new Uint8Array(32) };
  await createSpoke(app, operator, home, ask({ slug: "there", domain: "there.example.com" }), null);
  const input = ask({ slug: "new", domain: "there.example.com" });
  assert.match(await codeOf(createSpoke(app, operator, home, input, key)), "domain_taken");
  assert.is(await codeOf(createSpoke(app, operator, home, ask({ slug: "new" }), key)), "no fault");
});

test("stores the blueprint inputs", async ({ stage: { app, db, operator, hub } }) => {
  const home = await hub("inputs");
  const made = await createSpoke(app, operator, home, ask({ slug: "geo", size: "large", lmsVersion: "4.5" }), null);
  const [row] = await selectRows(db, "spokes", { id: made.id });
  assert.is(row.blueprintRevision, app.blueprint.revision);
  const { host, size, version, images, namespace } = row.blueprintInputs;
  assert.equal([host, size, version, namespace], ["geo.spokes.example.org", "large", "4.5", row.namespace]);
  assert.match(images.moodle, "4.5.12");
});

test.run();
