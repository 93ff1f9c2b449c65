/** Turns a site's mail on and off after its creation. One site with a relay, in this order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { previewSpokePatch } from "#lib/domains/spokes/patch.ts";
import { deriveRelayPassword } from "#lib/moodle/secrets.ts";
import { RESTART_ANNOTATION } from "#lib/steps/spoke-action.ts";
import { auditsOf } from "#test/lib/workers/actions/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { type ConfigureClinic, openConfigureClinic } from "./scene.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const RELAY = {
  SPOKE_SMTP_HOST: "relay.example.org",
  SPOKE_SMTP_PORT: "2525",
  SPOKE_SMTP_USER: "site-${namespace}",
  SPOKE_SMTP_SECRET: SECRET,
};

const test = suite<{ clinic: ConfigureClinic }>("configureHandler mail");
test.before(async (context) => void (context.clinic = await openConfigureClinic(RELAY)));
test.before.each(({ clinic }) => clinic.scene.simulator.faults.clear());
test.after(({ clinic }) => clinic.close());

/** Returns the site's mail settings, and whether its mail could be sent. */
function settingsOf(clinic: ConfigureClinic): unknown[] {
  const named = (kind: string, name: string) => clinic.objects(kind).find(({ metadata }) => metadata.name === name)!;
  const { SMTP_HOST } = named("ConfigMap", "moodle-env")["data"];
  const password = atob(named("Secret", "mail")["data"].SMTP_PASSWORD);
  const opens = JSON.stringify(clinic.objects("NetworkPolicy")).includes('"port":2525');
  return [SMTP_HOST, password, clinic.site().database!.config!.noemailever, opens];
}

const ON = ({ namespace }: ConfigureClinic) =>
  ["relay.example.org", deriveRelayPassword(SECRET, `site-${namespace}`), "0", true] as const;
const HELD = ["localhost", "", "1", false];

const inForce = async ({ row }: ConfigureClinic) => {
  const { mail, blueprintInputs } = await row();
  return [mail, blueprintInputs.mailHeld];
};
const restarted = (clinic: ConfigureClinic) =>
  clinic.objects("Deployment")[0]!["spec"].template.metadata.annotations?.[RESTART_ANNOTATION] ?? null;

test("is on in a new site", async ({ clinic }) => {
  assert.equal(settingsOf(clinic), ON(clinic));
  assert.equal(await inForce(clinic), ["on", undefined]);
});

test("is held and released on request, with a restart of the site", async ({ clinic }) => {
  const first = await clinic.configures({ mail: "held" });
  assert.is(first.state, "succeeded", first.failure?.message);
  assert.equal([settingsOf(clinic), await inForce(clinic)], [HELD, ["held", true]]);
  const before = restarted(clinic);
  assert.ok(before);
  await lookOnce(clinic.scene.app);
  assert.is((await clinic.row()).drift, null);
  const second = await clinic.configures({ mail: "on" });
  assert.is(second.state, "succeeded", second.failure?.message);
  assert.equal([settingsOf(clinic), await inForce(clinic)], [ON(clinic), ["on", false]]);
  assert.is.not(restarted(clinic), before);
  await lookOnce(clinic.scene.app);
  assert.is((await clinic.row()).drift, null);
  const [event] = (await auditsOf(clinic)).filter(({ metadata }) => metadata["operationId"] === second.id);
  assert.equal([event!.kind, event!.metadata["changed"]], ["spoke_updated", { mail: { from: "held", to: "on" } }]);
});

test("changes nothing if requested with its current value", async ({ clinic }) => {
  const before = [restarted(clinic), (await clinic.scene.operations(clinic.id)).length];
  await clinic.patch({ mail: "on" });
  assert.equal([restarted(clinic), (await clinic.scene.operations(clinic.id)).length], before);
});

test("has a preview with the change and the downtime", async ({ clinic }) => {
  const { scene } = clinic, patch = { mail: "held" } as never;
  const preview = await previewSpokePatch(
    scene.app,
    scene.actor,
    await clinic.row(),
    patch,
    new AbortController().signal,
  );
  assert.equal([preview.downtime, preview.notes], [true, ["The site's outgoing mail changes from on to held"]]);
  const changed = preview.changes.map(({ object, field }) => `${object} ${field}`);
  assert.ok(changed.includes("ConfigMap/moodle-env data.SMTP_HOST"), changed.join());
  assert.equal(await inForce(clinic), ["on", false]);
});

test("keeps its value after a failure, and can be requested again", async ({ clinic }) => {
  const fault = clinic.scene.simulator.faults.failJob("health-", { log: ["500"], exitCode: 22 });
  const job = await clinic.configures({ mail: "held" });
  assert.equal([job.state, job.failure!.step], ["failed", "health"]);
  clinic.scene.simulator.faults.remove(fault);
  assert.equal([settingsOf(clinic), await inForce(clinic)], [ON(clinic), ["held", false]]);
  assert.is((await clinic.configures({ mail: "held" })).state, "succeeded");
  assert.equal([settingsOf(clinic), await inForce(clinic)], [HELD, ["held", true]]);
});

test("stays held during other operations", async ({ clinic }) => {
  assert.is((await clinic.configures({ displayName: "Held" })).state, "succeeded");
  assert.is((await clinic.does("reapply")).state, "succeeded");
  assert.is((await clinic.does("restart")).state, "succeeded");
  assert.equal([settingsOf(clinic), await inForce(clinic)], [HELD, ["held", true]]);
});

test.run();
