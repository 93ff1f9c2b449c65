/** Mail beside everything else in the queue: how much of it, on how many replicas, and with how bad a server. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JobKind } from "#lib/operations/plan.ts";
import { createMailJob, MAIL_JOB_KIND } from "#lib/jobs/mail.ts";
import { kind, loose, type Scene } from "#test/lib/scheduler/scene.ts";
import { type Context, ended, plain, replica, withMail } from "./scene.ts";
import { until } from "#test/support/until.ts";
import { deleteRows } from "#test/support/rows.ts";

const test = suite<Context>("mail in the queue");
withMail(test);

test("does not block other jobs while the mail server hangs", async (context) => {
  const { scene, smtp } = context;
  smtp.rules.hang = "data";
  const mails = Array.from({ length: 40 }, (_, i) => createMailJob(plain(`hang${i}@example.org`)));
  await scene.enqueue(...mails);
  const work = kind("other", ["work"], { visible: false });
  const other = { kind: work, steps: { work: () => Promise.resolve() } };
  const scheduler = await replica(context, { more: [other], lanes: 8 });
  await until(() => smtp.hanging() === 4);
  const others = await scene.enqueue(...Array.from({ length: 10 }, () => loose(work)));
  for (const each of others) assert.is((await ended(context, each)).state, "succeeded");
  assert.is(smtp.hanging(), 4);
  await scheduler.close();
  await deleteRows(scene.db, "jobs", { kind: "mail", state: "queued" });
});

test("waits for a replica with a mail server without blocking other jobs", async (context) => {
  const { scene } = context;
  await fill(scene, MAIL_JOB_KIND, 10_000);
  const work = kind("without-mail", ["work"], { visible: false });
  const without = await scene.open([{ kind: work, steps: { work: () => Promise.resolve() } }]);
  const others = await scene.enqueue(...Array.from({ length: 10 }, () => loose(work)));
  for (const each of others) assert.is((await ended(context, each)).state, "succeeded");
  await without.close();
  const [{ count }] = await scene.db.sql("select count(*)::int from jobs where kind = 'mail' and state = 'queued'");
  assert.is(count, 10_000);
  await scene.db.sql("delete from jobs where payload->'letter'->'to'->>'email' <> 'waits7@example.org'");
  await replica(context);
  await context.smtp.next("waits7@example.org");
});

test("is sent once by two replicas", async (context) => {
  const addresses = Array.from({ length: 40 }, (_, i) => `twin${i}@example.org`);
  await Promise.all([replica(context), replica(context)]);
  const jobs = await context.scene.enqueue(...addresses.map((email) => createMailJob(plain(email))));
  for (const each of jobs) assert.is((await ended(context, each)).state, "succeeded");
  assert.equal(context.smtp.mails.map(({ to }) => to).sort(), addresses.toSorted());
});

test("is sent to one address in order", async (context) => {
  const letters = Array.from({ length: 10 }, (_, i) => plain("ivy@example.org", `Hub ${i}`));
  const jobs = await context.scene.enqueue(...letters.map((letter) => createMailJob(letter)));
  await Promise.all([replica(context), replica(context)]);
  for (const each of jobs) await ended(context, each);
  assert.equal(
    context.smtp.mails.map(({ subject }) => subject),
    letters.map((_, i) => `Your hub Hub ${i} was approved`),
  );
});

/** Queues a number of mails in the mail lanes. */
async function fill({ db }: Scene, { kind, plan }: JobKind, count: number): Promise<void> {
  const { payload } = createMailJob(plain("waits@example.org"));
  await db.sql(
    `insert into jobs (id, kind, visible, lane, time_limit_ms, plan, step_names, label, payload,
       requester_id, requester_email, requester_ip, requester_agent)
     select 'op_' || n, $1, false, 'mail:' || n % 4, 1000000, $2, '{send}', 'Waiting',
       jsonb_set($3::text::jsonb, '{letter,to,email}', to_jsonb('waits' || n || '@example.org')), '', '', '', ''
     from generate_series(1, $4::int) as n`,
    [kind, plan, JSON.stringify(payload), count],
  );
}

test.run();
