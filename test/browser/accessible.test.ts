/** Checks every page with axe, in light and dark mode, on wide and narrow screens, and for horizontal overflow. */
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { manifest } from "#src/manifest.ts";
import { findAllAccessibilityProblems } from "#test/support/accessible.ts";
import { browserSuite } from "#test/support/browser.ts";
import type { Portal } from "#test/support/portal.ts";
import { BIOLOGY, insertCourses, insertRollout } from "#test/support/insert-rows.ts";
import { updateRows } from "#test/support/rows.ts";
import { createTestToken } from "#test/support/users.ts";
import { isPageEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";

const test = browserSuite("a page");

const pages = listEndpoints(manifest).filter(({ method, endpoint }) =>
  method === "GET" && isPageEndpoint(endpoint) && endpoint.portal && endpoint.scope === "session"
).map(({ pattern }) => pattern).filter((pattern) => pattern !== "/audit/export"); // a file, not a page

/** An object for each path parameter. */
async function thingsOf({ work: { db, operations }, north, oak, people }: Portal): Promise<Record<string, string>> {
  const requestId = createId("frq"), requestedBy = people.hubAdmin.id;
  await db.rows.insertInto("federation_requests").values({ id: requestId, slug: "west", name: "West", requestedBy })
    .execute();
  await db.sql("insert into availability_days values ($1, $2, '2026-11-01', 1430, 1, 9, 0)", [oak, north.id]);
  await db.sql("insert into availability_hub_days values ($1, '2026-11-01', 43000, 12, 188, 3000)", [north.id]);
  await insertCourses(db, north.id, oak);
  const courses = { version: 1, values: { releases: [`${BIOLOGY}@2`] }, overridable: [] };
  const policy = { courses: { ...courses, changedAt: "2026-11-22T10:00:00.000Z", changedBy: "head@school.example" } };
  await updateRows(db, "federations", { policy: JSON.stringify(policy) }, { id: north.id });
  await updateRows(db, "spokes", { content: true, contentMode: "pull" }, { id: oak });
  return {
    federationId: north.id,
    spokeId: oak,
    operationId: (await operations(oak))[0]!.id,
    tokenId: (await createTestToken(db, people.operator, "cli")).id,
    requestId,
    rolloutId: await insertRollout(db, people.operator.id, north.id, oak),
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
