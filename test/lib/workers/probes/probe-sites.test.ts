/** Requests for login pages of sites in a simulated cluster, and how their results count. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { SimulatorFault } from "#lib/dev/simulator/fault-types.ts";
import { readSpokeAvailability } from "#lib/domains/availability/store.ts";
import { openSitePages } from "#lib/drivers/sites/site-pages.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { type ProbePace, probeSites, probeSitesHandler } from "#lib/workers/probes/probe-sites.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { HOUR } from "#lib/base/time.ts";
import { until } from "#test/support/until.ts";

interface Context {
  scene: WorkScene;
  app: App;
  id: string;
}

const test = suite<Context>("probeSites");
/** A pace without waiting: the job ends after its first minute. */
const QUICK: ProbePace = { spreadMs: 1, repeatMs: 1, saveMs: 20, jobMs: 1 };

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(context.id, "active");
  await scene.stopReplicas();
  const sitePages = openSitePages({ dns: scene.app.dns, localPort: scene.simulator.sitePort, timeoutMs: 500 });
  context.app = { ...scene.app, sitePages };
});
test.after(async ({ scene, app }) => {
  app.sitePages.close();
  await scene.close();
});
test.before.each(async ({ scene, app, id }) => {
  scene.simulator.faults.clear();
  await scene.db.sql("delete from availability_hours");
  await scene.db.sql("delete from page_checks");
  await updateRows(scene.db, "spokes", { state: "active", maintenance: false, failedChecks: 0 }, { id });
  await lookOnce(app);
});

/** Requests all login pages once, in a minute that no other round has used. */
async function probe({ app }: Pick<Context, "app">, write?: JobRun["write"]): Promise<void> {
  const run = {
    signal: new AbortController().signal,
    log: SILENT_LOG,
    leaving: new AbortController().signal,
    throwIfStopped: () => {},
    write: write ?? ((work) => app.db.transact(work)),
  } as JobRun;
  await probeSites(app, run, QUICK);
}

/** Returns the recorded minutes of each kind. */
async function minutesOf({ scene, id }: Context): Promise<Record<string, number>> {
  const [row] = await scene.db.sql(
    `select sum(bit_count(up::bit(64)))::int as up, sum(bit_count(down::bit(64)))::int as down,
       sum(bit_count(planned::bit(64)))::int as planned from availability_hours where spoke_id = $1`,
    [id],
  );
  return Object.fromEntries(Object.entries(row!).filter(([, count]) => count)) as Record<string, number>;
}

/** Returns the latest change of the spoke's health. */
async function lastChange({ scene, id }: Context): Promise<unknown> {
  const text = `select metadata from audit_events where kind = 'spoke_health_changed' and spoke_id = $1
    order by at desc, id desc limit 1`;
  return (await scene.db.sql(text, [id]))[0]?.metadata;
}

const healthOf = async ({ scene, id }: Context) => (await scene.row(id)).health;
const breakPages = ({ scene }: Context, how: string, more: object = {}) =>
  scene.simulator.faults.add({ type: "broken-page", name: "", how, ...more } as unknown as SimulatorFault);

test("counts a working login page as up, and stores a minute once", async (context) => {
  await probe(context);
  assert.equal(await minutesOf(context), { up: 1 });
  assert.is(await healthOf(context), "healthy");
  const [check] = await selectRows(context.scene.db, "page_checks");
  assert.equal([check.problem, check.reachedHost], [null, (await context.scene.row(context.id)).domain]);
  breakPages(context, "error");
  await context.scene.db.sql("update availability_hours set up = -1 >> 4"); // every minute of the hour is known
  await probe(context);
  const [hour] = await selectRows(context.scene.db, "availability_hours");
  assert.is(hour.down, "0");
});

for (
  const [how, more, problem] of [
    ["error", {}, "responded with 500"],
    ["hang", {}, "did not respond within 0.5 s"],
    ["close", {}, "closed the connection before its response was complete"],
    ["other", {}, "responded with a page that is not a login page"],
    ["endless", {}, "responded with a page that is not a login page"],
    ["trickle", {}, "did not respond within 0.5 s"],
    ["redirect", { location: "http://169.254.169.254/latest/meta-data/" }, "redirects to another address"],
  ] as const
) {
  test(`makes a site degraded whose page fails (${how}), and healthy again`, async (context) => {
    const { scene, app, id } = context, slug = "algebra";
    breakPages(context, how, more);
    await probe(context);
    const reason = `The site's login page ${problem}`;
    assert.is(await healthOf(context), "degraded");
    assert.equal(await lastChange(context), { slug, from: "healthy", to: "degraded", reason });
    assert.equal(await minutesOf(context), { down: 1 });
    await lookOnce(app);
    assert.is(await healthOf(context), "degraded", "a check of the objects does not hide the problem");
    scene.simulator.faults.clear();
    await probe(context);
    assert.equal(await lastChange(context), { slug, from: "degraded", to: "healthy", reason: null });
    assert.is((await scene.row(id)).health, "healthy");
  });
}

test("accepts single sign-on: a redirect after Moodle has started a session", async (context) => {
  breakPages(context, "redirect", { location: "https://idp.example/sso", session: true });
  await probe(context);
  assert.equal([await healthOf(context), await minutesOf(context)], ["healthy", { up: 1 }]);
});

test("ignores a single failed request", async (context) => {
  const { app, scene } = context;
  let requests = 0;
  breakPages(context, "close");
  const sitePages: App["sitePages"] = {
    ...app.sitePages,
    request: async (page, signal) => {
      if (requests++ > 0) scene.simulator.faults.clear();
      return await app.sitePages.request(page, signal);
    },
  };
  await probe({ app: { ...app, sitePages } });
  assert.is(requests, 2);
  assert.equal([await healthOf(context), await minutesOf(context)], ["healthy", { up: 1 }]);
});

test("does not request the pages of suspended sites, and counts their minutes as planned", async (context) => {
  const { app, scene, id } = context;
  const sitePages = { ...app.sitePages, request: () => Promise.reject(new Error("unexpected request")) };
  for (const change of [{ state: "suspended" }, { state: "updating" }, { maintenance: true }]) {
    await scene.db.sql("delete from availability_hours");
    await updateRows(scene.db, "spokes", { state: "active", maintenance: false, ...change }, { id });
    await probe({ app: { ...app, sitePages } });
    assert.equal(await minutesOf(context), { planned: 1 }, JSON.stringify(change));
  }
});

test("does not judge a site whose operation started during the request", async (context) => {
  const { app, scene, id } = context;
  breakPages(context, "error");
  const sitePages: App["sitePages"] = {
    ...app.sitePages,
    request: async (page, signal) => {
      await scene.db.sql("update spokes set updated_at = wheelwright_now() where id = $1", [id]);
      return await app.sitePages.request(page, signal);
    },
  };
  await probe({ app: { ...app, sitePages } });
  assert.equal([await healthOf(context), await minutesOf(context)], ["healthy", { planned: 1 }]);
});

test("counts no minute while the cluster is away, and leaves the health unknown", async (context) => {
  const { scene, id } = context;
  for (const how of [null, "error"]) {
    await updateRows(scene.db, "spokes", { health: "unknown" }, { id });
    if (how) breakPages(context, how);
    await probe(context);
    assert.equal([await healthOf(context), await minutesOf(context)], ["unknown", {}]);
  }
});

test("judges a site by its objects until its public address has answered once", async (context) => {
  const { app, scene, id } = context;
  const away = openSitePages({ dns: app.dns, localPort: 9, timeoutMs: 500 });
  await probe({ app: { ...app, sitePages: away } });
  assert.equal([await healthOf(context), await minutesOf(context)], ["healthy", { up: 1 }]);
  await scene.db.sql("delete from availability_hours");
  await probe(context);
  await scene.db.sql("delete from availability_hours");
  await probe({ app: { ...app, sitePages: away } });
  assert.equal([await healthOf(context), await minutesOf(context)], ["degraded", { down: 1 }]);
  assert.match((await lastChange(context) as { reason: string }).reason, /cannot be reached: refused the connection/);
  assert.is((await scene.row(id)).failedChecks, 0);
  away.close();
});

test("runs on one replica at a time, and continues on another one when it stops", async (context) => {
  const { app, scene } = context, requests: string[] = [];
  const sitePages: App["sitePages"] = {
    ...app.sitePages,
    request: (page, signal) => (requests.push(page.url.host), app.sitePages.request(page, signal)),
  };
  const pace = { ...QUICK, jobMs: HOUR };
  const start = () => openScheduler(app, { handlers: [probeSitesHandler({ ...app, sitePages }, pace)], lanes: 4 });
  const first = await start(), second = await start();
  await until(async () => (await minutesOf(context))["up"] === 1);
  assert.is(requests.length, 1, "two replicas request a page once");
  const [job] = await scene.db.sql(
    "select count(*)::int as count from jobs where kind = 'probe-sites' and state = 'running'",
  );
  assert.is(job!.count, 1);
  await first.drain(HOUR); // ends at once, although the job would run for an hour
  await first.close();
  await scene.db.sql("delete from availability_hours");
  await until(async () => (await minutesOf(context))["up"] === 1);
  await second.close();
});

test("stores when the certificate ends, and warns once at each threshold, also with two replicas", async (context) => {
  const { scene, app, id } = context, now = (await app.db.now()).getTime();
  const warnings = async () => {
    const events = await selectRows(scene.db, "audit_events", { kind: "spoke_certificate_expiring" }, {
      orderBy: "at",
    });
    return events.map(({ metadata }) => [(metadata as { days: number }).days, (metadata as { endsOn: string }).endsOn]);
  };
  const seeing = (certificateEndsAt: Date): App => ({
    ...app,
    sitePages: {
      ...app.sitePages,
      request: async (page, signal) => {
        const answer = await app.sitePages.request(page, signal);
        return answer.outcome === "answered" ? { ...answer, certificateEndsAt } : answer;
      },
    },
  });
  const far = new Date(now + 60 * 24 * HOUR), soon = new Date(now + 6 * 24 * HOUR);
  await probe({ app: seeing(far) });
  const [check] = await selectRows(scene.db, "page_checks", { spokeId: id });
  assert.equal([check.certificateEndsAt, check.certificateWarnedDays, await warnings()], [far, null, []]);
  await Promise.all([probe({ app: seeing(soon) }), probe({ app: seeing(soon) })]);
  await probe({ app: seeing(soon) });
  assert.equal(await warnings(), [[7, soon.toISOString().slice(0, 10)]]);
  assert.equal((await readSpokeAvailability(app.db.rows, id)).certificateEndsAt, soon);
});

test.run();
