import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Caller, openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("parallel decisions on hub requests");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

const PATH = "/api/federation-requests";

async function ask(scene: Scene, slug: string): Promise<string> {
  const { status, body } = await scene.as("stranger").post(PATH, { slug });
  assert.is(status, 201);
  return body.id;
}

async function countOf(scene: Scene, query: string, id: string): Promise<number> {
  const [{ count }] = await scene.db.sql(`select count(*)::int from ${query}`, [id]);
  return count;
}

test("lets only one of several parallel decisions succeed, and names it to the others", async ({ scene }) => {
  const operator = scene.as("operator"), stranger = scene.as("stranger");
  for (let round = 0; round < 4; round++) {
    const id = await ask(scene, `round-${round}`);
    const decisions: [string, () => ReturnType<Caller["get"]>][] = [
      ["approved", () => operator.post(`${PATH}/${id}/approve`)],
      ["rejected", () => operator.post(`${PATH}/${id}/reject`, { reason: "no" })],
      ["withdrawn", () => stranger.delete(`${PATH}/${id}`)],
      ["approved", () => operator.post(`${PATH}/${id}/approve`, { slug: `other-${round}` })],
    ];
    // The order of the requests varies.
    const rotated = decisions.map((_, i) => decisions[(i + round) % decisions.length]!);
    const answers = await Promise.all(rotated.map(async ([name, deed]) => ({ name, ...await deed() })));
    const { body: { state, federationId } } = await operator.get(`${PATH}/${id}`);
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(winners.map(({ name }) => name), [state]);
    for (const { status, body } of answers.filter((each) => !winners.includes(each))) {
      assert.is(status, 409);
      assert.match(body.message, `This request was already ${state} by `);
    }
    assert.is(await countOf(scene, "audit_events where object_id = $1 and kind <> 'federation_requested'", id), 1);
    const hubs = await countOf(scene, "federations where slug in ('round-' || $1, 'other-' || $1)", String(round));
    assert.equal([hubs, federationId !== null], state === "approved" ? [1, true] : [0, false]);
  }
});

test("gives a slug to one of two parallel approvals, and keeps the other request pending", async ({ scene }) => {
  const ids = [await ask(scene, "twin-a"), await ask(scene, "twin-b")];
  const answers = await Promise.all(
    ids.map((id) => scene.as("operator").post(`${PATH}/${id}/approve`, { slug: "twin" })),
  );
  assert.equal(answers.map(({ status }) => status).sort(), [200, 409]);
  const states = await Promise.all(ids.map(async (id) => (await scene.as("operator").get(`${PATH}/${id}`)).body.state));
  assert.equal(states.sort(), ["approved", "pending"]);
});

test("writes hub, admin, mail and decision together or not at all", async ({ scene }) => {
  const id = await ask(scene, "halfway");
  await scene.db.sql(`create function fail_here() returns trigger language plpgsql as $$ begin
    if new.federation_id is not null then raise exception 'killed here'; end if; return new; end $$`);
  await scene.db.sql(
    "create trigger fail_here before insert on stream_events for each row execute function fail_here()",
  );
  const { status } = await scene.as("operator").post(`${PATH}/${id}/approve`);
  await scene.db.sql("drop trigger fail_here on stream_events");
  assert.is(status, 500);
  assert.is((await scene.as("operator").get(`${PATH}/${id}`)).body.state, "pending");
  assert.is(await countOf(scene, "federations where slug = $1", "halfway"), 0);
  assert.is(await countOf(scene, "jobs where payload -> 'letter' -> 'about' ->> 'slug' = $1", "halfway"), 0);
  assert.is(await countOf(scene, "audit_events where object_id = $1 and kind <> 'federation_requested'", id), 0);
  assert.is((await scene.as("operator").post(`${PATH}/${id}/approve`)).status, 200);
});

test.run();
