import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { submissionOf, textOf } from "#test/support/html-form.ts";
import { selectRows } from "#test/support/rows.ts";

const MINE = "the password that I chose", STRANGERS = "the password of a stranger";

const test = suite<{ flows: MailLinkFlows }>("/verify");

test.before(async (context) => {
  context.flows = await openMailLinkFlows({ PORTAL: "off", SIGNUP: "on" });
});
test.after(({ flows }) => flows.close());

async function signUp(flows: MailLinkFlows, email: string, password: string) {
  await flows.post("/api/auth/signup", { email, password });
  await flows.work();
  const { link } = await flows.postman.next(email);
  return await flows.send(link!.slice("http://localhost:3000".length));
}

test("verifies the address of a new account", async ({ flows }) => {
  const page = await signUp(flows, "ada@example.org", MINE);
  assert.match(textOf(page), "Confirm your address");
  const done = await flows.send(...submissionOf(page.body, { password: MINE }));
  assert.is(done.status, 200);
  assert.match(textOf(done), /Your address is confirmed.*You can now use the account ada@example\.org/);
  assert.ok(await flows.opens("ada@example.org", MINE));
  const [row] = await selectRows(flows.db, "users", { email: "ada@example.org" }, { columns: ["emailVerifiedAt"] });
  assert.ok(row.emailVerifiedAt);
});

test("replaces the password of the user who signed up with the address", async ({ flows }) => {
  const page = await signUp(flows, "owner@example.org", STRANGERS);
  const done = await flows.send(...submissionOf(page.body, { password: MINE }));
  assert.is(done.status, 200);
  assert.not(await flows.opens("owner@example.org", STRANGERS));
  assert.ok(await flows.opens("owner@example.org", MINE));
});

test("requires a password", async ({ flows }) => {
  const page = await signUp(flows, "bob@example.org", MINE);
  assert.is((await flows.send(...submissionOf(page.body, {}))).status, 400);
  const [row] = await selectRows(flows.db, "users", { email: "bob@example.org" }, { columns: ["emailVerifiedAt"] });
  assert.is(row.emailVerifiedAt, null);
});

test.run();
