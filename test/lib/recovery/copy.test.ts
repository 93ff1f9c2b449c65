/** Tests copies of a spoke: the same courses and users in a separate site. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { findSpoke } from "#lib/domains/spokes/store.ts";
import { addSiteContents, siteContentsOf, siteSecretsOf } from "#test/support/sites.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { backUp, copy, type CopyScene, holdCopies, openCopies, sourcesOf } from "./copy-scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<CopyScene>("a copy");
const RELAY = {
  SPOKE_SMTP_HOST: "relay.example.org",
  SPOKE_SMTP_USER: "site-${namespace}",
  SPOKE_SMTP_SECRET: "s".repeat(32),
};
test.before((context) => openCopies(context, RELAY));
test.after(({ scene }) => scene.close());

test("contains the data of its newest backup, and no credentials of the original site", async (context) => {
  const { scene, id, namespace } = context, { simulator } = scene;
  const backup = await backUp(context);
  const before = { ...siteContentsOf(simulator, namespace) }, own = siteSecretsOf(simulator, namespace);
  addSiteContents(simulator, namespace, "since then");
  const present = async () => {
    const { database, files } = simulator.site(namespace), { visibleEvents: _, ...row } = await scene.row(id);
    return { database, files, row };
  };
  const source = await present();
  await scene.db.sql(
    "insert into restore_requests (id, federation_id, spoke_id, backup_id, reason, requested_by)" +
      " select 'rsr_1', federation_id, id, $2, 'A lost course', created_by from spokes where id = $1",
    [id, backup],
  );
  const row = await scene.becomes(await copy(context), "active", "failed");
  assert.equal([row.state, row.stateReason, row.health], ["active", null, "healthy"]);
  const [request] = await selectRows(scene.db, "restore_requests", {}, { columns: ["state"] });
  assert.is(request.state, "open", "a copy is no restore");
  assert.equal(siteContentsOf(simulator, row.namespace), { ...before, title: "Copy of algebra" });
  const theirs = siteSecretsOf(simulator, row.namespace), shared = new Set(Object.values(own));
  const places = ["mdl_config siteidentifier", "mdl_config calendar_exportsalt", "role moodle", "moodledata/secret"];
  for (const place of [...places, "Secret admin ADMIN_PASSWORD"]) assert.ok(theirs[place], place);
  for (const [place, value] of Object.entries(theirs)) assert.not.ok(shared.has(value), `${place} is the other site's`);
  const { accounts } = simulator.site(row.namespace).database!;
  assert.is(accounts!.admin!.password, theirs["Secret admin ADMIN_PASSWORD"]);
  assert.is(accounts!.ada!.password, "ada's own");
  assert.equal([row.copyOf, row.fromBackup, row.siteIdentifier], [id, backup, theirs["mdl_config siteidentifier"]]);
  assert.equal(await present(), source, "the source is not as it was");
});

test("has the version, images and disks of its source, and no drift", async ({ scene, id }) => {
  const [{ id: made }] = await selectRows(scene.db, "spokes", { copyOf: id }, { columns: ["id"] });
  const [source, row] = [await scene.row(id), await scene.row(made)];
  for (const name of ["version", "images", "resources"]) {
    assert.equal(row.blueprintInputs[name], source.blueprintInputs[name]);
  }
  assert.equal([row.size, row.lmsVersion, row.adminEmail], [source.size, source.lmsVersion, source.adminEmail]);
  await lookOnce(scene.app);
  assert.is((await scene.row(made)).drift, null);
  assert.equal(sourcesOf(scene), []);
});

test("names its source in its operation and in the audit log", async ({ scene, id }) => {
  const [{ id: made, slug, fromBackup }] = await selectRows(scene.db, "spokes", { copyOf: id });
  const [job] = await scene.operations(made);
  assert.match(readOperationNotes(job!).join("\n"), `Copied from algebra, using backup ${fromBackup} of `);
  assert.match(readOperationNotes(job!).join("\n"), "The site sends no email until an administrator allows it");
  const [requested] = await selectRows(scene.db, "audit_events", { kind: "spoke_requested", spokeId: made }, {
    columns: ["metadata"],
  });
  assert.equal(requested.metadata.copyOf, { spokeId: id, slug: "algebra", backupId: fromBackup });
  const [copied] = await selectRows(scene.db, "audit_events", { kind: "spoke_copied", spokeId: id });
  const { federationId: hubId } = await scene.row(id);
  assert.equal([copied.actorEmail, copied.metadata], [
    scene.actor.email,
    { slug: "algebra", copyId: made, copySlug: slug, hubId, backupId: fromBackup },
  ]);
});

test("sends no mail, although the original site does", async ({ scene, id, namespace }) => {
  const [{ namespace: own }] = await selectRows(scene.db, "spokes", { copyOf: id }, { columns: ["namespace"] });
  const mailing = (of: string) => {
    const env = scene.simulator.objects("ConfigMap").find(({ metadata }) =>
      metadata.namespace === of && metadata.name === "moodle-env"
    );
    return [scene.simulator.site(of).database!.config!.noemailever, env!["data"].SMTP_HOST];
  };
  assert.equal([mailing(namespace), mailing(own)], [["0", "relay.example.org"], ["1", "localhost"]]);
});

test("is created from the chosen backup, with the requested settings", async (context) => {
  const { scene, namespace } = context, { simulator } = scene;
  addSiteContents(simulator, namespace, "chosen");
  const copyBackup = await backUp(context);
  await scene.db.sql("update backups set created_at = created_at - interval '1 day'"); // one a day is kept
  addSiteContents(simulator, namespace, "newer");
  await backUp(context);
  const request = { displayName: "Geometry", adminEmail: "head@school.example", size: "medium", copyBackup };
  const row = await scene.becomes(await copy(context, request), "active", "failed");
  assert.is(row.state, "active", row.stateReason!);
  const { row: mark, file, title } = siteContentsOf(simulator, row.namespace);
  assert.equal([mark, file, title], ["chosen", "chosen", "Geometry"]);
  assert.is(simulator.site(row.namespace).database!.accounts!.admin!.email, "head@school.example");
  assert.equal([row.size, row.blueprintInputs.resources.disks], [
    "medium",
    scene.app.catalog.resourcesOf("medium").disks,
  ]);
});

test("gets the requested theme and courses in another hub", async (context) => {
  const { scene, id } = context,
    catalog = JSON.stringify({
      brands: [{ name: "ocean", color: "#0044aa" }],
      seeds: [{ name: "demo", courses: [{ shortname: "demo-1" }] }],
    });
  const app = { ...scene.app, catalog: loadCatalog(catalog, scene.app.blueprint) };
  await updateRows(scene.db, "spokes", { identity: true }, { id });
  const hub = await scene.hub("art"), request = { brand: "ocean", seed: "demo", identity: false };
  const made = await copy({ ...context, scene: { ...scene, app } }, request, hub);
  const row = await scene.becomes(made, "active", "failed");
  assert.is(row.state, "active", row.stateReason!);
  const { config, courses } = scene.simulator.site(row.namespace).database!;
  assert.is(config!.brandcolor, "#0044aa");
  assert.equal([...new Set(courses)].sort(), ["algebra-1", "algebra-2", "demo-1"]);
  const [job] = await scene.operations(made);
  assert.match(
    readOperationNotes(job!).join("\n"),
    "The single sign-on of the original site is still set up in this copy",
  );
});

test("shares nothing with the copy that it was created from", async (context) => {
  const { scene } = context, { simulator } = scene;
  const first = await scene.becomes(await copy(context), "active");
  const second = await scene.becomes(
    await copy({ ...context, id: first.id }, { copyBackup: "now" }),
    "active",
    "failed",
  );
  assert.is(second.state, "active", second.stateReason!);
  assert.is(second.displayName, "Copy of Copy of algebra");
  const others = new Set(
    [context.namespace, first.namespace].flatMap((each) => Object.values(siteSecretsOf(simulator, each))),
  );
  const shared = Object.entries(siteSecretsOf(simulator, second.namespace)).filter(([, value]) => others.has(value));
  assert.equal(shared, []);
  assert.is(siteContentsOf(simulator, second.namespace).row, siteContentsOf(simulator, first.namespace).row);
});

test("is created even if its source is removed meanwhile", async (context) => {
  const { scene, id, namespace } = context;
  const marked = siteContentsOf(scene.simulator, namespace).row;
  await backUp(context);
  const release = holdCopies(context);
  const made = await copy(context);
  await removeSpoke(scene.app, scene.actor, (await findSpoke(scene.db.rows, id, "hidden"))!);
  await scene.becomes(id, "removed");
  release();
  const row = await scene.becomes(made, "active", "failed");
  assert.is(row.state, "active", row.stateReason!);
  assert.is(siteContentsOf(scene.simulator, row.namespace).row, marked);
  await removeSpoke(scene.app, scene.actor, (await findSpoke(scene.db.rows, made, "hidden"))!);
  await scene.becomes(made, "removed");
  assert.equal(sourcesOf(scene), []);
});

test.run();
