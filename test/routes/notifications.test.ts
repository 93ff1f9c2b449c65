/** Tests the notifications page. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recordChange } from "#lib/changes/record.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { insertSpokeEvents, recordEvents, resetNotifications } from "#test/lib/domains/notifications/record-events.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("/notifications");

test.before(async (context) => void (context.scene = await openScene()));
test.before.each(({ scene }) => resetNotifications(scene));
test.after(({ scene }) => scene.close());

/** Records an event by an operator named `<b>ada</b>`. */
async function happen(
  { db, hub, spoke, people }: Scene,
  kind: "spoke_provision_failed" | "spoke_actioned",
  metadata: object,
) {
  const { id: userId } = people.operator, email = "<b>ada</b>@example.org";
  const requester = { userId, email, ip: "192.0.2.1", userAgent: "test", tokenPrefix: null };
  const about = buildSpokeSubject({ id: spoke, federationId: hub });
  await db.transact((tx) =>
    recordChange(tx, requester, { audit: [{ kind, ...about, metadata: { slug: "oak", ...metadata } }] })
  );
}

test("shows event, object and actor, and links to the object", async ({ scene }) => {
  await happen(scene, "spoke_provision_failed", { message: "The image <i>x</i> cannot be pulled" });
  await happen(scene, "spoke_actioned", { action: "purge-caches" });
  const page = await parsePage(scene, "/notifications", "hubAdmin");
  const [newest, older] = page.all("listitem").filter((text) => text.includes("oak"));
  assert.match(newest!, /Unread Action purge caches was requested on spoke oak By <b>ada<\/b>@example\.org, /);
  assert.match(older!, "Spoke oak could not be installed The image <i>x</i> cannot be pulled.");
  assert.is(page.part("listitem", /installed/).link("oak"), `/spokes/${scene.spoke}`);
  assert.not.match(page.html, "<i>x</i>");
});

test("marks one as read, and filters by unread", async ({ scene }) => {
  await recordEvents(scene.db, { hub: scene.hub }, { hub: scene.hub, spoke: scene.spoke });
  const all = await parsePage(scene, "/notifications", "hubAdmin");
  const after = await all.part("listitem", /spoke/).submit(/^Mark as read/);
  assert.equal([after.path, after.has("button", /^Mark as read.*Spoke/)], ["/notifications", false]);
  const unread = await after.follow("Unread");
  assert.is(unread.all("button").filter((text) => text.startsWith("Mark as read")).length, 1);
  const none = await unread.submit(/^Mark as read Hub/);
  assert.is(none.path, "/notifications?show=unread", "the user stays on the page");
  assert.ok(none.has("heading", "No unread notifications"));
  assert.equal((await none.follow("All notifications")).all("button"), ["Sign out"]);
});

test("marks all as read, and shows the unread count on every page", async ({ scene }) => {
  await recordEvents(scene.db, { hub: scene.hub }, { hub: scene.hub, spoke: scene.spoke });
  assert.is((await parsePage(scene, "/hubs", "hubAdmin")).link(/^Notifications ?2 unread$/), "/notifications");
  const page = await (await parsePage(scene, "/notifications", "hubAdmin")).submit("Mark all as read");
  assert.is(page.part("status", /read/).text, "All notifications marked as read.");
  assert.not(page.has("button", /Mark/));
  assert.equal((await scene.as("hubAdmin").get("/api/notifications/unread-count")).body, { count: 0 });
});

test("pages through all notifications", async ({ scene }) => {
  await insertSpokeEvents(scene.db, scene, [...Array(70).keys()]);
  let page = await parsePage(scene, "/notifications", "spokeAdmin");
  const ids = new Set(page.html.match(/evt_[0-9a-f]+/g));
  while (page.has("link", "Older")) {
    page = await page.follow("Older");
    for (const id of page.html.match(/evt_[0-9a-f]+/g)!) ids.add(id);
  }
  assert.is(ids.size, 70);
});

test("shows each role its own notifications, or explains what will appear", async ({ scene }) => {
  await recordEvents(scene.db, { hub: scene.hub });
  const page = await parsePage(scene, "/notifications", "spokeAdmin");
  assert.ok(page.has("heading", "No notifications yet"));
  assert.is(page.link("Go to your hubs"), "/hubs");
  assert.not(page.has("button", "Mark all as read"));
});

test.run();
