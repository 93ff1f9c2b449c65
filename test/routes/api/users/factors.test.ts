import { suite } from "uvu";
import * as assert from "uvu/assert";
import { resetFactorsFromCommandLine } from "#lib/domains/auth/factors/reset.ts";
import { createTestFactor } from "#test/support/factors.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { rejection } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";
import { ageSession, createTestSession, createTestUser, PASSWORD } from "#test/support/users.ts";

const test = suite<{ flows: MailLinkFlows }>("DELETE /api/users/{id}/factors");

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());

test("lets an operator remove a user's factors, ends the sessions, and emails the user", async ({ flows }) => {
  const ada = await createTestUser(flows.db, "ada"), session = await createTestSession(flows.db, ada);
  await createTestFactor(flows.app, ada);
  const path = `/api/users/${ada.id}/factors`, as = flows.scene.as("operator");
  assert.is((await as.delete(path)).status, 204);
  assert.equal([...await selectRows(flows.db, "factors"), ...await selectRows(flows.db, "recovery_codes")], []);
  assert.is((await flows.send("/api/auth/me", { headers: { cookie: `wheelwright=${session.secret}` } })).status, 401);
  assert.match((await flows.postman.next(ada.email)).text, "All second factors were removed from your account");
  assert.ok(await flows.opens(ada.email, PASSWORD));
  const events = await selectRows(flows.db, "audit_events", { kind: "factors_reset" });
  assert.equal(events.map(({ objectId, actorEmail }) => [objectId, actorEmail]), [[ada.id, "operator@example.org"]]);
  assert.is((await as.delete(path)).status, 204); // nothing left
  assert.is((await selectRows(flows.db, "audit_events", { kind: "factors_reset" })).length, 1);
});

test("refuses other users, and an operator whose session may be stolen", async ({ flows }) => {
  const bob = await createTestUser(flows.db, "bob");
  await createTestFactor(flows.app, bob);
  const path = `/api/users/${bob.id}/factors`, { operator } = flows.scene.people;
  for (const who of ["hubAdmin", "stranger"] as const) assert.is((await flows.scene.as(who).delete(path)).status, 403);
  assert.is((await flows.scene.as("operator", "cli").delete(path)).status, 401);
  const session = await createTestSession(flows.db, operator);
  await ageSession(flows.db, session);
  const stolen = { method: "DELETE", headers: { cookie: `wheelwright=${session.secret}` } };
  assert.is((await flows.send(path, stolen)).body.code, "recent_sign_in_required");
  assert.is((await selectRows(flows.db, "factors", { userId: bob.id })).length, 1);
});

test("has a counterpart on the command line", async ({ flows }) => {
  const cid = await createTestUser(flows.db, "cid");
  await createTestFactor(flows.app, cid);
  assert.equal(await resetFactorsFromCommandLine(flows.app, " CID@example.org"), { removed: 1 });
  assert.equal(await resetFactorsFromCommandLine(flows.app, cid.email), { removed: 0 });
  assert.is((await rejection(resetFactorsFromCommandLine(flows.app, "nobody@example.org"))).code, "user_missing");
});

test.run();
