/** Tests the audit log's page and export. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsePage } from "#test/support/page.ts";
import { insertSpokeEvents, recordEvents, resetNotifications } from "#test/lib/domains/notifications/record-events.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("/audit");

test.before(async (context) => void (context.scene = await openScene()));
test.before.each(({ scene }) => resetNotifications(scene));
test.after(({ scene }) => scene.close());

test("shows actor, event, object, time and details", async ({ scene }) => {
  const name = `<script>alert("x")</script>`;
  await scene.as("operator").patch(`/api/federations/${scene.hub}`, { name });
  const row = (await parsePage(scene, "/audit", "operator")).part("listitem", /Hub north was changed/);
  assert.match(
    row.text,
    /Changed: name By operator@example\.org, .* Event federation_updated .* Object Federation fed_/,
  );
  assert.match(row.text, `"name": "<script>alert(\\"x\\")</script>"`);
  assert.equal([row.link("north"), row.link("operator@example.org")], [
    `/hubs/${scene.hub}`,
    `/users/${scene.people.operator.id}`,
  ]);
});

test("filters by its form, and exports with the same filters", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await recordEvents(db, { hub }, { hub, spoke }, { hub, spoke, kind: "spoke_destroyed" }, { kind: "auth_login" });
  const filters = {
    Actor: "system",
    Event: "spoke_actioned",
    Hub: "north",
    "Object type": "spoke",
    "Object ID": spoke,
  };
  const page = await (await parsePage(scene, "/audit", "operator")).submit("Search", filters);
  assert.is(page.all("listitem").filter((text) => text.includes("By Wheelwright")).length, 1);
  for (const [label, value] of Object.entries(filters)) assert.is(page.field(label).value, value, label);
  const file = await page.follow("Export JSON Lines");
  const events = file.html.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(events.map(({ kind }) => kind), ["spoke_actioned"]);
  const until = await parsePage(scene, "/audit?until=2020-01-01T00:00", "operator");
  assert.ok(until.has("heading", "No matching events"));
  assert.ok((await until.follow("Show all")).has("listitem", /requested|was removed/));
});

test("pages through the results with the same filters", async ({ scene }) => {
  await insertSpokeEvents(scene.db, scene, [...Array(120).keys()]);
  let page = await parsePage(scene, "/audit?kind=spoke_actioned", "operator");
  const ids = new Set(page.html.match(/id="evt_[0-9a-f]+"/g));
  while (page.has("link", "Older")) {
    page = await page.follow("Older");
    assert.is(page.field("Event").value, "spoke_actioned");
    for (const id of page.html.match(/id="evt_[0-9a-f]+"/g)!) ids.add(id);
  }
  assert.is(ids.size, 120);
});

test("exports each event once, even if many have the same time", async ({ scene }) => {
  await insertSpokeEvents(scene.db, scene, [...Array(90).keys(), ...Array(60).fill(90), ...Array(120).fill(91)]);
  const { headers, html } = await parsePage(scene, "/audit/export?format=csv&kind=spoke_actioned", "operator");
  assert.equal(
    [headers.get("content-type"), headers.get("content-disposition")],
    ["text/csv; charset=utf-8", 'attachment; filename="audit.csv"'],
  );
  const [head, ...rows] = html.replace(/^\ufeff/, "").trimEnd().split("\r\n"); // Node drops the byte order mark, Deno keeps it
  assert.is(head, "at,kind,actor,actorId,objectType,objectId,ip,userAgent,metadata,id");
  assert.equal([rows.length, new Set(rows).size], [270, 270]);
  assert.match(rows[0]!, /^2026-01-01T00:00:00\.091Z,spoke_actioned,system,system,spoke,spk_/);
});

test("is for operators only, and explains that to others", async ({ scene }) => {
  for (const path of ["/audit", "/audit/export?format=csv"]) {
    const page = await parsePage(scene, path, "hubAdmin");
    assert.equal([page.status, page.part("heading").text], [403, "You are not allowed to do this"]);
  }
  assert.is((await parsePage(scene, "/audit/export?format=xml", "operator")).status, 400);
});

test.run();
