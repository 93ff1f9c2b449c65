import { suite } from "uvu";
import * as assert from "uvu/assert";
import { redeemOneTimeToken, voidOneTimeTokens } from "#lib/domains/auth/one-time-tokens.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { LeaseLapsedError } from "#lib/scheduler/stop-reasons.ts";
import { HOUR } from "#lib/base/time.ts";
import { type Context, ended, invite, plain, replica, withMail } from "./scene.ts";
import { createTestUser } from "#test/support/users.ts";
import { openSmtpServer, type ReceivedMail } from "#test/support/smtp.ts";
import { until } from "#test/support/until.ts";

const test = suite<Context>("sendMail");
withMail(test);

const redeems = ({ scene }: Context, { token }: ReceivedMail) =>
  scene.db.transact((tx) => redeemOneTimeToken(tx, "invitation", token!));

test("sends an email with a working link", async (context) => {
  const ada = await createTestUser(context.scene.db, "ada");
  await replica(context);
  const { job, grantId } = await invite(context, ada);
  const mail = await context.smtp.next(ada.email);
  assert.is(mail.subject, "Ann invites you to administer North");
  assert.match(mail.link!, /^https:\/\/hubs\.example\.org\/invite\?token=/);
  assert.is(mail.headers["message-id"], `<${job.id}@hubs.example.org>`);
  assert.is((await redeems(context, mail)).id, grantId);
  assert.is((await ended(context, job)).state, "succeeded");
});

test("keeps the secret out of rows and logs", async (context) => {
  const bea = await createTestUser(context.scene.db, "bea");
  context.smtp.rules.data = (raw) =>
    `451 4.0.0 Not now: ${/Accept[\s\S]*?works/.exec(raw.replace(/=\r?\n/g, "").replaceAll("=3D", "="))![0]}`;
  await replica(context);
  const { job } = await invite(context, bea);
  const waiting = JSON.stringify(await context.scene.until(job.id, ({ failure }) => failure !== null));
  context.smtp.rules.data = undefined;
  const mail = await context.smtp.next(bea.email);
  const done = JSON.stringify(await ended(context, job)), log = JSON.stringify(context.log);
  assert.match(waiting, /Not now: Accept/);
  assert.match(log, /Not now: Accept/);
  for (const text of [waiting, done, log]) {
    assert.not.match(text, mail.token!);
    assert.not.match(text, /token=[\w-]{20}/);
  }
});

test("retries transient errors, and reports who must fix them", async (context) => {
  const { scene, smtp } = context;
  smtp.rules.recipient = () => "451 4.3.0 Not now";
  await replica(context);
  const cid = await createTestUser(scene.db, "cid");
  const { job } = await invite(context, cid);
  const waiting = await scene.until(job.id, ({ state, attempt }) => state === "queued" && attempt > 1);
  assert.is(waiting.failure!.code, "mail_deferred");
  assert.match(waiting.failure!.message, "451 4.3.0 Not now");
  smtp.rules.recipient = undefined;
  await redeems(context, await smtp.next(cid.email));
  assert.is((await ended(context, job)).state, "succeeded");
});

test("waits longer between attempts while the server is overloaded", async (context) => {
  context.smtp.rules.recipient = () => "451 4.3.0 Not now";
  await replica(context, { retry: { firstMs: HOUR, maxMs: HOUR } });
  const [job] = await context.scene.enqueue(createMailJob(plain("kim@example.org")));
  const { runAt, updatedAt } = await context.scene.until(job!.id, ({ failure }) => failure !== null);
  assert.ok(runAt.getTime() - updatedAt.getTime() >= 0.49 * HOUR);
});

test("fails immediately for an unknown address, and logs an error", async (context) => {
  context.smtp.rules.recipient = () => "550 5.1.1 No such user";
  await replica(context);
  const [job] = await context.scene.enqueue(createMailJob(plain("nobody@example.org")));
  const { state, attempt, failure } = await ended(context, job!);
  assert.is(state, "failed");
  assert.is(attempt, 1);
  assert.is(failure!.code, "mail_recipient");
  assert.is(failure!.message, "The mail server rejected mail for nobody@example.org: 550 5.1.1 No such user");
  const entries = await until(() =>
    context.log.find(({ level, to }) => level === "error" && to === "nobody@example.org")
  );
  assert.is(entries.message, "Cannot send an email; giving up");
  assert.match(entries.reason, "No such user");
});

test("waits for an unavailable server", async (context) => {
  const { port } = context.smtp;
  await context.smtp.close();
  await replica(context);
  const [job] = await context.scene.enqueue(createMailJob(plain("dan@example.org")));
  const waiting = await context.scene.until(job!.id, ({ state, attempt }) => state === "queued" && attempt > 1);
  assert.is(waiting.failure!.code, "mail_unreachable");
  context.smtp = await openSmtpServer({ port });
  await context.smtp.next("dan@example.org");
  assert.is((await ended(context, job!)).state, "succeeded");
});

test("resends with the same Message-ID after a broken connection", async (context) => {
  const eve = await createTestUser(context.scene.db, "eve");
  context.smtp.rules.drop = true;
  await replica(context);
  const { job, grantId } = await invite(context, eve);
  const first = await context.smtp.next(eve.email);
  context.smtp.rules.drop = undefined;
  await ended(context, job);
  const again = context.smtp.mails.at(-1)!;
  assert.is.not(again, first);
  assert.is(again.headers["message-id"], first.headers["message-id"]);
  assert.is.not(again.token, first.token);
  assert.is((await redeems(context, first)).id, grantId);
  await redeems(context, again).then(() => assert.unreachable(), ({ code }) => assert.is(code, "link_spent"));
});

test("resends with the same Message-ID after a crash", async (context) => {
  const { app, scene, smtp, log } = context, joe = await createTestUser(scene.db, "joe");
  let dead = false;
  const db: Database = {
    ...app.db,
    transact: (work) => dead ? Promise.reject(new LeaseLapsedError()) : app.db.transact(work),
    get rows() {
      if (dead) throw new LeaseLapsedError();
      return app.db.rows;
    },
  };
  context.app = { ...app, db };
  await replica(context);
  context.app = app;
  smtp.rules.data = () => {
    dead = true;
    return null;
  };
  const { job } = await invite(context, joe);
  await until(() =>
    log.some(({ message, operation }) => /^Released an operation/.test(message) && operation === job.id)
  );
  smtp.rules.data = undefined;
  dead = false;
  assert.is((await ended(context, job)).state, "succeeded");
  const ids = smtp.mails.map(({ headers }) => headers["message-id"]);
  assert.equal(ids, [`<${job.id}@hubs.example.org>`, `<${job.id}@hubs.example.org>`]);
  await redeems(context, smtp.mails[1]!);
});

test("leaves an email to another replica when it stops", async (context) => {
  const fay = await createTestUser(context.scene.db, "fay");
  context.smtp.rules.hang = "data";
  const first = await replica(context);
  const { job } = await invite(context, fay);
  await until(() => context.smtp.hanging() === 1);
  await first.drain(0);
  await until(() => context.smtp.hanging() === 0, 10_000); // long before the server's time would be over
  context.smtp.rules.hang = undefined;
  await replica(context);
  await context.smtp.next(fay.email);
  assert.is((await ended(context, job)).attempt, 1);
});

test("sends nothing if the one-time token was revoked or the user is disabled", async (context) => {
  const { scene, smtp } = context;
  const [gil, hal] = [await createTestUser(scene.db, "gil"), await createTestUser(scene.db, "hal", { disabled: true })];
  const { job } = await invite(context, gil);
  await scene.db.transact((tx) => voidOneTimeTokens(tx, gil.id, ["invitation"]));
  const [other] = await scene.enqueue(createMailJob(plain(hal.email)));
  await replica(context);
  for (const each of [job, other!]) assert.is((await ended(context, each)).state, "succeeded");
  assert.is(smtp.mails.length, 0);
  const reasons = context.log.filter(({ message }) => message === "Skipped an email that is no longer needed");
  assert.equal(reasons.map(({ to }) => to).sort(), [gil.email, hal.email]);
});

test.run();
