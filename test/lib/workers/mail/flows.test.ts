import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { sendResetLink } from "#lib/domains/auth/forgot-password.ts";
import { processSignup } from "#lib/domains/auth/signup.ts";
import { openMailTransport } from "#lib/drivers/mail/open.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { submissionOf } from "#test/support/html-form.ts";
import { createTestUser } from "#test/support/users.ts";
import { openSmtpServer, type SmtpServer } from "#test/support/smtp.ts";

const NEW = "a wholly new password";

const test = suite<{ flows: MailLinkFlows; smtp: SmtpServer }>("flows");

test.before(async (context) => {
  context.smtp = await openSmtpServer();
  context.flows = await openMailLinkFlows({ ...context.smtp.env, SIGNUP: "on" });
});
test.after(async ({ flows, smtp }) => {
  await flows.close();
  await smtp.close();
});

test("lead from the request through the queue and the mail server to the page", async ({ flows, smtp }) => {
  const ada = await createTestUser(flows.db, "ada");
  const post = openMailTransport(flows.app.config);
  const scheduler = await openScheduler(flows.app, { handlers: createHandlers(flows.app, post), lanes: 8 });
  try {
    await flows.post("/auth/forgot-password", { email: ada.email });
    await flows.post("/auth/signup", { email: "bob@example.org", password: "chosen at the signup" });
    for (const email of [ada.email, "bob@example.org"]) {
      const { link } = await smtp.next(email);
      const page = await flows.send(link!.slice("http://localhost:3000".length));
      assert.is((await flows.send(...submissionOf(page.body, { password: NEW }))).status, 200);
      assert.ok(await flows.opens(email, NEW));
    }
    assert.match((await smtp.next(ada.email)).subject, /password/i);
  } finally {
    await scheduler.close();
    await post?.close();
  }
});

test("do nothing twice when a holder dies before it records a step", async ({ flows }) => {
  const eve = await createTestUser(flows.db, "eve"), waiting = { email: "new@example.org", displayName: "New" };
  for (let i = 0; i < 2; i++) {
    await flows.db.transact((tx) => sendResetLink(tx, SYSTEM_REQUESTER, eve.email));
    await flows.db.transact((tx) =>
      processSignup(tx, SYSTEM_REQUESTER, "op_none", { ...waiting, passwordHash: "a hash" })
    );
  }
  for (const email of [eve.email, waiting.email]) {
    const jobs = await flows.db.sql("select id from jobs where kind = 'mail' and payload::text like $1", [
      `%${email}%`,
    ]);
    assert.is(jobs.length, 1, email);
  }
});

test.run();
