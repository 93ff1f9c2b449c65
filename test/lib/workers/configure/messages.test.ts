/** Title, administrator's address and look of a site, changed after it was made. One site, in this order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findFederation } from "#lib/domains/federations/store.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { until } from "#test/support/until.ts";
import { auditsOf, holderOf } from "#test/lib/workers/actions/scene.ts";
import { CORE } from "#test/lib/workers/reapply/damage.ts";
import { byHand, lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { type ConfigureClinic, openConfigureClinic } from "./scene.ts";

const test = suite<{ clinic: ConfigureClinic }>("configureHandler");
test.before(async (context) => void (context.clinic = await openConfigureClinic()));
test.before.each(({ clinic }) => clinic.scene.simulator.faults.clear());
test.after(({ clinic }) => clinic.close());

/** Has the hub's own room say what its brand looks like. */
async function paint({ scene, id }: ConfigureClinic, data: object | null): Promise<void> {
  const { federationId } = await scene.row(id),
    { namespace } = (await findFederation(scene.db.rows, federationId, "shown"))!;
  await byHand(scene.simulator.url, `${CORE}/namespaces/${namespace}/configmaps/brand`, { data });
}

/** Returns the settings that Moodle shows. */
function readings(clinic: ConfigureClinic): (string | undefined)[] {
  const { config, accounts } = clinic.site().database!;
  return [config!.fullname, config!.brandcolor, accounts!.admin!.email];
}

async function inForce(clinic: ConfigureClinic): Promise<unknown[]> {
  const { displayName, brand, adminEmail } = (await clinic.row()).blueprintInputs;
  return [displayName, brand?.name ?? null, adminEmail];
}

test("applies each setting, and updates the row afterwards", async ({ clinic }) => {
  await paint(clinic, { color: "#0044aa" });
  const release = clinic.holdBack("seed-");
  const patch = { displayName: "Algebra for all", brand: "ocean", adminEmail: "head@school.example" };
  const answered = await clinic.patch(patch);
  assert.equal([answered.displayName, answered.brand, answered.adminEmail], Object.values(patch));
  assert.equal([answered.state, answered.operation?.kind], ["updating", "configure"]);
  await until(async () => (await clinic.last("configure")).attempt > 1);
  assert.equal(await inForce(clinic), ["algebra", null, "ann@example.org"]);
  release();
  const job = await clinic.scene.ended(clinic.id, "configure");
  assert.is(job.state, "succeeded", job.failure?.message);
  assert.equal(readings(clinic), ["Algebra for all", "#0044aa", "head@school.example"]);
  assert.equal(await inForce(clinic), Object.values(patch));
  const { state, stateReason, health } = await clinic.row();
  assert.equal([state, stateReason, health], ["active", null, "healthy"]);
  const audits = (await auditsOf(clinic)).filter(({ metadata }) => metadata["operationId"] === job.id);
  assert.equal(audits.map(({ kind }) => kind), ["spoke_updated", "spoke_action_succeeded"]);
  assert.equal(audits[0]!.metadata["changed"], {
    displayName: { from: "algebra", to: "Algebra for all" },
    brand: { from: null, to: "ocean" },
    adminEmail: { from: "ann@example.org", to: "head@school.example" },
  });
});

test("causes no drift, and leaves no Job", async ({ clinic }) => {
  await lookOnce(clinic.scene.app);
  assert.is((await clinic.row()).drift, null);
  assert.equal(clinic.objects("Job").filter(({ metadata }) => metadata.labels?.["op"] === "seed"), []);
});

test("changes only the requested settings", async ({ clinic }) => {
  const { database, saveDatabase } = clinic.site();
  saveDatabase({ ...database!, config: { ...database!.config, brandcolor: "#123456" } }); // by the site's people
  assert.is((await clinic.configures({ displayName: "Algebra" })).state, "succeeded");
  assert.equal(readings(clinic), ["Algebra", "#123456", "head@school.example"]);
});

test("writes nothing if nothing changes", async ({ clinic }) => {
  const before = [await clinic.row(), (await clinic.scene.operations(clinic.id)).length];
  await clinic.patch({ displayName: "Algebra", brand: "ocean", adminEmail: "head@school.example" });
  await clinic.patch({});
  assert.equal([await clinic.row(), (await clinic.scene.operations(clinic.id)).length], before);
});

test("keeps the theme if the brand is not configured, and adds a note", async ({ clinic }) => {
  await paint(clinic, null);
  const job = await clinic.configures({ brand: "unknown" });
  assert.equal([job.state, job.progress.notes], ["succeeded", [
    "The brand unknown is not configured; the theme was not changed",
  ]]);
  assert.is(readings(clinic)[1], "#123456");
});

test("reports its failure, and can be requested again", async ({ clinic }) => {
  const fault = clinic.scene.simulator.faults.failJob("seed-", { log: ["Exception - Call to undefined function"] });
  const { state, failure } = await clinic.configures({ displayName: "Geometry" });
  assert.equal([state, failure!.code, failure!.step], ["failed", "PhpFatal", "seed"]);
  const row = await clinic.row();
  assert.equal([row.state, row.displayName, row.blueprintInputs.displayName], ["active", "Geometry", "Algebra"]);
  assert.match(row.stateReason!, /could not be set up because Moodle failed with an error/);
  clinic.scene.simulator.faults.remove(fault);
  const again = await clinic.configures({ displayName: "Geometry" });
  assert.equal([again.state, readings(clinic)[0], (await clinic.row()).stateReason], ["succeeded", "Geometry", null]);
});

test("includes changes made while queued, and queues another for later changes", async ({ clinic }) => {
  const release = clinic.holdBack("purge-");
  await clinic.ask("purge-caches");
  await until(async () => (await clinic.last("purge-caches")).attempt > 0);
  const all = async () => (await clinic.scene.operations(clinic.id)).filter(({ kind }) => kind === "configure").length;
  const before = await all();
  await Promise.all([clinic.patch({ displayName: "One" }), clinic.patch({ adminEmail: "two@school.example" })]);
  assert.is(await all(), before + 1);
  release();
  const hold = clinic.holdBack("seed-");
  await clinic.passes("configure", "prepare");
  await clinic.patch({ displayName: "Three" });
  assert.is(await all(), before + 2);
  hold();
  await clinic.scene.ended(clinic.id, "configure");
  assert.equal([readings(clinic)[0], readings(clinic)[2]], ["Three", "two@school.example"]);
  assert.equal(await inForce(clinic), ["Three", "unknown", "two@school.example"]);
});

test("cannot revert settings when its holder is late", async ({ clinic }) => {
  const job = await clinic.last("configure");
  const late = holderOf(clinic, job, "1");
  const { steps } = createHandlers(clinic.scene.app).find(({ kind }) => kind.kind === "configure")!;
  await clinic.configures({ displayName: "Newest" });
  const error = await steps["seed"]!(late).then(() => null, (reason) => reason);
  assert.is(error?.name, "FenceLostError");
  assert.is(clinic.objects("ConfigMap").find(({ metadata }) => metadata.name === "seed")!["data"].SEED_TITLE, "Newest");
});

test("is refused for a suspended site, and waits for a resuming one", async ({ clinic }) => {
  await clinic.does("suspend");
  const error = await clinic.patch({ displayName: "Asleep" }).then(() => null, (reason) => reason);
  assert.equal([error?.code, error?.message], [
    "spoke_state",
    "Cannot change a spoke that is suspended; it must be active",
  ]);
  await clinic.ask("resume");
  const job = await clinic.configures({ displayName: "Awake" });
  assert.equal([job.state, readings(clinic)[0]], ["succeeded", "Awake"]);
});

test.run();
