/** Mails that a mail server refuses for good, as those who wait for them see it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { QueuedMail } from "#lib/drivers/mail/letter.ts";
import type { MailTransport } from "#lib/drivers/mail/transport.ts";
import { openSmtpTransport as openPost } from "#lib/drivers/mail/smtp.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { type MailSender, openMailSender } from "#test/support/mail-sender.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { openSmtpServer, type SmtpServer } from "#test/support/smtp.ts";

interface Context {
  scene: Scene;
  smtp: SmtpServer;
  postman: MailSender;
  post: MailTransport;
}

const test = suite<Context>("an email that its server refuses for good");
const REFUSAL = "550 5.1.1 No such user \u202ehere";
const SHOWN = "550 5.1.1 No such user \\u202ehere";

test.before(async (context) => {
  context.smtp = await openSmtpServer();
  context.scene = await openScene({ env: { PORTAL: "on" } });
  const place = { host: "127.0.0.1", port: context.smtp.port, user: null, pass: null, from: "hubs@example.org" };
  context.post = openPost({ ...place, encryption: "opportunistic", name: "" });
  context.postman = await openMailSender(context.scene.app, context.post);
});
test.before.each(({ smtp }) => {
  smtp.rules.recipient = smtp.rules.data = undefined;
});
test.after(async ({ scene, smtp, post }) => {
  post.close();
  await scene.close();
  await smtp.close();
});

const member = async ({ scene }: Context, path: string, email: string) => {
  const { body } = await scene.as("hubAdmin").get(path);
  return body.find((each: { email: string }) => each.email === email);
};

test("shows a refused invitation on the member, notifies the hub's admins, and is sent again", async (context) => {
  const { scene, smtp, postman } = context, email = "typo@example.org", path = `/api/federations/${scene.hub}/members`;
  smtp.rules.recipient = () => REFUSAL;
  await scene.as("hubAdmin").post(path, { email });
  await postman.deliver();
  assert.is((await member(context, path, email)).mailRefusal, SHOWN);
  const { body: events } = await scene.as("hubAdmin").get("/api/notifications");
  const [event] = events.filter(({ kind }: { kind: string }) => kind === "invitation_refused");
  assert.equal(event.metadata, { email, reason: SHOWN });
  assert.is(event.actor.email, "hub-admin@example.org");

  smtp.rules.recipient = undefined;
  const page = await parsePage(scene, `/hubs/${scene.hub}/members`, "hubAdmin");
  assert.match(page.text, `Mail was refused: ${SHOWN}`);
  await page.submit(`Send again ${email}`, {});
  const { mailRefusal, pending } = await member(context, path, email);
  assert.equal([mailRefusal, pending], [null, true]);
  await postman.deliver();
  assert.ok((await smtp.next(email)).token);
});

test("is shown on the spoke's member and on the user", async (context) => {
  const { scene, smtp, postman } = context, email = "gone@example.org", path = `/api/spokes/${scene.spoke}/members`;
  smtp.rules.data = () => "554 5.6.0 Not this one";
  await scene.as("hubAdmin").post(`/api/spokes/${scene.spoke}/delegate`, { email });
  await postman.deliver();
  assert.is((await member(context, path, email)).mailRefusal, "554 5.6.0 Not this one");
  smtp.rules.data = undefined;
  assert.match((await parsePage(scene, `/spokes/${scene.spoke}/members`, "hubAdmin")).text, "Mail was refused: 554");
  const { body: [user] } = await scene.as("operator").get(`/api/users?email=${email}`);
  assert.is(user.mailRefusal, "554 5.6.0 Not this one");
  assert.match((await parsePage(scene, `/users/${user.id}`, "operator")).text, "554 5.6.0 Not this one");
  assert.match((await parsePage(scene, "/users", "operator")).text, "Mail refused");
});

test("is recorded on the user until another email is accepted", async (context) => {
  const { scene, smtp, postman } = context, { email, id } = scene.people.stranger;
  smtp.rules.recipient = () => "550 No";
  const letter: QueuedMail = {
    template: "request-approved",
    to: { email, name: "" },
    about: { hub: "North", slug: "north" },
  };
  const mail = async () => {
    await scene.db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { jobs: [createMailJob(letter)] }));
    await postman.deliver();
    return (await scene.as("operator").get(`/api/users/${id}`)).body.mailRefusal;
  };
  assert.is(await mail(), "550 No");
  const { body: events } = await scene.as("operator").get("/api/audit?kind=user_mail_refused");
  assert.equal(events.map(({ metadata }: { metadata: object }) => metadata), [
    { email, reason: "550 No", template: "request-approved" },
  ]);
  const { body: seen } = await scene.as("operator").get("/api/notifications");
  assert.equal(seen.filter(({ kind }: { kind: string }) => kind === "user_mail_refused"), []);
  smtp.rules.recipient = undefined;
  assert.is(await mail(), null);
});

test.run();
