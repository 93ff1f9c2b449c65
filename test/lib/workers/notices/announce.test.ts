import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import { openSmtpTransport as openPost } from "#lib/drivers/mail/smtp.ts";
import type { AnnouncedChange } from "#lib/base/notice.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { DAY } from "#lib/base/time.ts";
import { sendMail } from "#lib/workers/mail/send.ts";
import { announceDeprecations } from "#lib/workers/notices/announce.ts";
import {
  addTokenCalls,
  createCaller,
  endpointNotice,
  limitNotice,
} from "#test/lib/domains/deprecations/notice-scene.ts";
import { loose, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { createTestApp } from "#test/support/app.ts";
import { openSmtpServer, type SmtpServer } from "#test/support/smtp.ts";
import { selectRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  app: App;
  smtp: SmtpServer;
  opened: (() => unknown)[];
}

const test = suite<Context>("announce");
test.before(async (context) => {
  context.scene = await openScene();
  context.app = await createTestApp(context.scene.db, { PUBLIC_URL: "https://hubs.example.org" });
});
test.before.each(async (context) => {
  context.opened = [];
  context.smtp = await openSmtpServer();
});
test.after.each(async ({ scene, smtp, opened }) => {
  for (const close of opened.splice(0).reverse()) await close();
  await smtp.close();
  const tables = ["jobs", "token_calls", "deprecation_notices", "api_tokens", "clock_shift"];
  await scene.db.sql(tables.map((table) => `delete from ${table}`).join(";"));
});
test.after(({ scene }) => scene.close());

/** The handler, as one that does not repeat itself, and its run to the end. */
function once({ app }: Context, notices: readonly AnnouncedChange[], batch?: number): JobHandler {
  const handler = announceDeprecations({ db: app.db, notices }, batch);
  const { repeatEvery: _, ...kind } = handler.kind;
  return { ...handler, kind };
}

async function run({ scene }: Context, handler: JobHandler, times = 1): Promise<void> {
  const jobs = await scene.enqueue(...Array.from({ length: times }, () => loose(handler.kind)));
  for (const { id } of jobs) {
    const { state, failure } = await scene.until(id, (job) => isFinalJobState(job.state));
    assert.equal([state, failure], ["succeeded", null]);
  }
}

/** Starts a replica that sends mail. */
async function replica(context: Context, own: readonly JobHandler[]): Promise<void> {
  const { app, scene, smtp, opened } = context;
  const post = openPost({
    host: "127.0.0.1",
    port: smtp.port,
    user: null,
    pass: null,
    encryption: "opportunistic",
    from: "h@example.org",
    name: "hubs.example.org",
  });
  opened.push(() => post.close());
  const scheduler = await scene.open([sendMail(app, post), ...own]);
  opened.push(() => scheduler.close());
}

test("emails each user once, however many replicas announce", async (context) => {
  const { scene, smtp } = context, people = ["ada", "bob", "cy", "dee", "eve"];
  for (const name of people) await addTokenCalls(scene, await createCaller(scene, name), "GET /api/x/:id", name.length);
  const handler = once(
    context,
    [endpointNotice("x", { sunset: new Date("2199-12-21T00:00:00Z") }), limitNotice("60")],
    2,
  );
  await Promise.all([replica(context, [handler]), replica(context, [handler])]);
  await run(context, handler, 4);
  const mails = await Promise.all(people.map((name) => smtp.next(`${name}@example.org`)));
  assert.is(smtp.mails.length, people.length);
  assert.equal(new Set(mails.map(({ subject }) => subject)).size, 1);
  const { text, html } = mails[0]!;
  assert.match(text, /cli \(ww_cli_\w{4}…\): 3 calls/);
  assert.match(text, "\nhttps://hubs.example.org/changelog\n");
  assert.match(html, `href="https://hubs.example.org/changelog"`);
});

test("announces a notice at its time, and none that has taken effect", async (context) => {
  const { scene, smtp } = context;
  await createCaller(scene, "fay");
  const soon = endpointNotice("soon", { since: new Date(Date.now() + DAY) });
  const handler = once(context, [endpointNotice("gone", { sunset: new Date(Date.now() - 1) }), soon]);
  await replica(context, [handler]);
  await run(context, handler);
  assert.equal(await selectRows(scene.db, "deprecation_notices", {}, { columns: ["noticeId"] }), []);
  await scene.db.shiftClock(DAY + 60_000);
  await run(context, handler);
  assert.match((await smtp.next("fay@example.org")).subject, "GET /api/soon/{id} ends on ");
});

test("does not query the database without notices", async () => {
  const db = { now: () => Promise.reject(new Error("asked")) } as unknown as App["db"];
  await announceDeprecations({ db, notices: [] }).steps.people!({} as never);
});

test.run();
