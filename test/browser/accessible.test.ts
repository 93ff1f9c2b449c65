/** Checks every page with axe, in light and dark mode, on wide and narrow screens, and for horizontal overflow. */
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { manifest } from "#src/manifest.ts";
import { createTestFactor } from "#test/support/factors.ts";
import { findAllAccessibilityProblems } from "#test/support/accessible.ts";
import { browserSuite } from "#test/support/browser.ts";
import type { Portal } from "#test/support/portal.ts";
import { BIOLOGY, insertCourses, insertRollout } from "#test/support/insert-rows.ts";
import { insertRow, updateRows } from "#test/support/rows.ts";
import { createTestToken } from "#test/support/users.ts";
import { isPageEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";

const test = browserSuite("a page");

const pages = listEndpoints(manifest).filter(({ method, endpoint }) =>
  method === "GET" && isPageEndpoint(endpoint) && endpoint.portal && endpoint.scope === "session"
).map(({ pattern }) => pattern).filter((pattern) => pattern !== "/audit/export"); // a file, not a page

/** Gives the hub courses, of which it shares one, and lets the spoke take courses itself. */
async function shareBiology({ work: { db }, north, oak }: Portal): Promise<void> {
  await insertCourses(db, north.id, oak);
  const values = { releases: [`${BIOLOGY}@2`] },
    at = { changedAt: "2026-11-22T10:00:00Z", changedBy: "head@school.example" };
  const policy = { courses: { version: 1, values, overridable: [], ...at } };
  await updateRows(db, "federations", { policy: JSON.stringify(policy) }, { id: north.id });
  const version = { federationId: north.id, section: "courses", version: 1, values: JSON.stringify(values) } as const;
  await insertRow(db, "policy_versions", { ...version, overridable: [], ...at });
  await updateRows(db, "spokes", { content: true, contentMode: "pull" }, { id: oak });
}

/** A webhook with a delivery that failed. */
async function insertWebhook({ work: { db }, people }: Portal, federationId: string): Promise<string> {
  const id = createId("whk"), error = "The receiver answered 500";
  await db.rows.insertInto("webhooks")
    .values({
      id,
      federationId,
      url: "https://hooks.example/a",
      eventTypes: [],
      secret: "-",
      createdBy: people.operator.id,
    })
    .execute();
  await db.rows.insertInto("webhook_deliveries").values({
    ...{
      id: createId("whd"),
      webhookId: id,
      federationId,
      number: 7,
      trigger: "event",
      messageId: "msg_1",
      body: "{}",
    },
    ...{ type: "SpokeUpdateFailed", attempt: 2, status: 500, answer: "out of order", error, durationMs: 12 },
  }).execute();
  return id;
}

/** An object for each path parameter. */
async function thingsOf(portal: Portal): Promise<Record<string, string>> {
  const { work: { db, operations }, north, oak, people } = portal;
  const requestId = createId("frq"), requestedBy = people.hubAdmin.id;
  await db.rows.insertInto("federation_requests").values({ id: requestId, slug: "west", name: "West", requestedBy })
    .execute();
  await db.sql("insert into availability_days values ($1, $2, '2026-11-01', 1430, 1, 9, 0)", [oak, north.id]);
  await db.sql("insert into availability_hub_days values ($1, '2026-11-01', 43000, 12, 188, 3000)", [north.id]);
  await shareBiology(portal);
  return {
    federationId: north.id,
    spokeId: oak,
    operationId: (await operations(oak))[0]!.id,
    tokenId: (await createTestToken(db, people.operator, "cli")).id,
    factorId: (await createTestFactor(portal.app, people.operator)).id,
    requestId,
    rolloutId: await insertRollout(db, people.operator.id, north.id, oak),
    webhookId: await insertWebhook(portal, north.id),
    change: "disable",
    action: "upgrade",
  };
}

test("passes the accessibility checks: each portal page, for an operator", async ({ portal, open }) => {
  const page = await open("operator"), things = await thingsOf(portal), found: string[] = [];
  for (const pattern of pages) {
    const userId = portal.people[pattern.startsWith("/spokes/") ? "spokeAdmin" : "hubAdmin"].id;
    const own: Record<string, string> = { ...things, userId };
    const path = pattern.replace(
      /:(\w+)/g,
      (_, name: string) => own[name] ?? assert.unreachable(`no ${name}`) ?? "",
    );
    assert.is((await page.goto(path))!.status(), 200, path);
    found.push(...(await findAllAccessibilityProblems(page)).map((barrier) => `${pattern}\n${barrier}`));
  }
  assert.equal(found, []);
});

test("passes the accessibility checks: pages without a session and refusals", async ({ open }) => {
  const page = await open("nobody"), found: string[] = [];
  for (const path of ["/sign-in", "/forgot", "/sign-up", "/hubs", "/nowhere"]) {
    await page.goto(path);
    found.push(...(await findAllAccessibilityProblems(page)).map((barrier) => `${path}\n${barrier}`));
  }
  const admin = await open("spokeAdmin");
  for (const path of ["/users", "/hubs/new", "/requests/new", "/hubs", "/requests", "/notifications"]) {
    await admin.goto(path);
    found.push(
      ...(await findAllAccessibilityProblems(admin)).map((barrier) => `${path} for a spoke admin\n${barrier}`),
    );
  }
  assert.equal(found, []);
});

test("fits a small phone: the versions of a hub's course", async ({ portal, open }) => {
  const page = await open("operator"), { work: { db }, north, oak } = portal;
  await insertCourses(db, north.id, oak);
  await page.goto(`/hubs/${north.id}/policy`);
  await page.getByText("Biology: 3 versions").click();
  assert.equal(await findAllAccessibilityProblems(page), []);
});

test("fits a small phone: pages outside of the portal", async ({ open }) => {
  const page = await open("nobody", { viewport: { width: 320, height: 900 } });
  for (const path of ["/", "/changelog", "/api/docs"]) {
    await page.goto(path);
    assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 320, path);
  }
});

test("wraps a very long word and shows the whole spoke menu", async ({ portal: { work: { db }, north, oak }, open }) => {
  const page = await open("operator"), become = "update spokes set state = $1, state_reason = $2 where id = $3";
  await db.sql(become, ["failed", "/very/long".repeat(20), oak]);
  for (const width of [390, 700, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of ["/hubs", `/hubs/${north.id}`, `/spokes/${oak}`]) {
      await page.goto(path);
      for (const menu of await page.locator("#actions > summary").all()) await menu.click();
      const out = await page.locator(".list > li > *, .menu > ul").evaluateAll((all) =>
        all.filter((each) => {
          const { left, right } = each.getBoundingClientRect();
          return left < 0 || right > innerWidth || each.scrollWidth > each.clientWidth + 1;
        }).map(({ textContent }) => textContent)
      );
      assert.equal(out, [], `${path}, ${width} px`);
    }
  }
  await db.sql(become, ["active", null, oak]);
});

test.run();
