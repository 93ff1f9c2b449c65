/** Replicas that send the mail of one database to a server of the test, and what they log. */
import type { Test } from "uvu";
import type { App } from "#lib/app.ts";
import { createOneTimeToken } from "#lib/domains/auth/one-time-tokens.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { createLog } from "#lib/base/log.ts";
import type { QueuedMail } from "#lib/drivers/mail/letter.ts";
import { openSmtpTransport as openPost } from "#lib/drivers/mail/smtp.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import { type MailRetryDelays, sendMail } from "#lib/workers/mail/send.ts";
import { openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { createTestApp } from "#test/support/app.ts";
import type { TestUser } from "#test/support/users.ts";
import { openSmtpServer, type SmtpServer } from "#test/support/smtp.ts";

// deno-lint-ignore no-explicit-any
type Entry = any;

export interface Context {
  scene: Scene;
  app: App;
  /** The log entries so far. */
  log: Entry[];
  /** The mail server of this test. */
  smtp: SmtpServer;
  opened: (() => unknown)[];
}

const RETRY: MailRetryDelays = { firstMs: 20, maxMs: 40 };

/** Gives the suite one database for all its tests: each looks at its own people's mail only. */
export function withMail(test: Test<Context>): void {
  test.before(async (context) => {
    context.scene = await openScene();
    context.log = [];
    const log = createLog({ level: "debug", format: "json", write: (line) => context.log.push(JSON.parse(line)) });
    context.app = { ...await createTestApp(context.scene.db, { PUBLIC_URL: "https://hubs.example.org" }), log };
  });
  test.before.each(async (context) => {
    context.opened = [];
    context.smtp = await openSmtpServer();
  });
  test.after.each(async ({ smtp, opened }) => {
    for (const close of opened.splice(0).reverse()) await close();
    await smtp.close();
  });
  test.after(({ scene }) => scene.close());
}

/** Starts a replica that sends mail to the test's server. */
export async function replica(
  { app, smtp, opened }: Context,
  { more = [], lanes = 64, retry = RETRY }: { more?: readonly JobHandler[]; lanes?: number; retry?: MailRetryDelays } =
    {},
): Promise<Scheduler> {
  const place = {
    host: "127.0.0.1",
    port: smtp.port,
    user: null,
    pass: null,
    encryption: "opportunistic" as const,
    from: "hubs@example.org",
  };
  const post = openPost({ ...place, name: "hubs.example.org", timeouts: { wait: 60_000, total: 60_000 } });
  opened.push(() => post.close());
  const handlers = [sendMail(app, post, retry), ...more];
  const scheduler = await openScheduler(app, {
    handlers,
    lanes,
    retry: { firstMs: RETRY.firstMs, maxMs: RETRY.maxMs },
  });
  opened.push(() => scheduler.close());
  return scheduler;
}

/** Returns a letter without a link. */
export function plain(email: string, hub = "North"): QueuedMail {
  return { template: "request-approved", to: { email, name: "" }, about: { hub, slug: "north" } };
}

export async function invite({ scene }: Context, person: TestUser): Promise<{ job: Job; grantId: string }> {
  const grant = await scene.db.transact((tx) => createOneTimeToken(tx, "invitation", person.id));
  const about = { inviter: "Ann", places: ["North"], expiresAt: grant.expiresAt.toISOString() };
  const letter: QueuedMail = { template: "invitation", to: { email: person.email, name: "Ada" }, about };
  const [job] = await scene.enqueue(createMailJob(letter, grant.id));
  return { job: job!, grantId: grant.id };
}

export function ended({ scene }: Context, { id }: Job): Promise<Job> {
  return scene.until(id, ({ state }) => isFinalJobState(state));
}
