/** Tests that a site sends mail with its own relay account, and that the service's account is stored nowhere in it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { deriveRelayPassword } from "#lib/moodle/secrets.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { RESTART_ANNOTATION } from "#lib/steps/spoke-action.ts";
import { type Clinic, openClinic } from "#test/lib/workers/actions/scene.ts";
import { byHand, lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { CORE } from "./damage.ts";

const SERVICE = {
  SMTP_HOST: "mail.example.org",
  SMTP_USER: "hubs",
  SMTP_PASS: "the-service's-own",
  SMTP_FROM: "hubs@example.org",
};
const SECRET = "0123456789abcdef0123456789abcdef";
const RELAY = { SPOKE_SMTP_HOST: "relay.example.org", SPOKE_SMTP_USER: "site-${namespace}", SPOKE_SMTP_SECRET: SECRET };

const test = suite("a site's mail");

async function withSite(env: Record<string, string>, use: (clinic: Clinic) => Promise<void>): Promise<void> {
  const clinic = await openClinic({ ...SERVICE, ...env });
  try {
    await use(clinic);
  } finally {
    await clinic.close();
  }
}

function account(clinic: Clinic): string[] {
  const named = (kind: string, name: string) =>
    clinic.objects(kind).find(({ metadata }) => metadata.name === name)!["data"];
  const { SMTP_HOST, SMTP_USER } = named("ConfigMap", "moodle-env");
  return [SMTP_HOST, SMTP_USER, atob(named("Secret", "mail").SMTP_PASSWORD)];
}

/** Returns whether the cluster or the row contains the service's password. */
async function leaks(clinic: Clinic): Promise<boolean> {
  const all = JSON.stringify([clinic.scene.simulator.objects(), await clinic.row()]);
  return all.includes(SERVICE.SMTP_PASS) || all.includes(btoa(SERVICE.SMTP_PASS));
}

/** The site as it would be if it had been given the service's account. */
async function giveServiceAccount({ scene, id, namespace, site }: Clinic): Promise<void> {
  const path = `${CORE}/namespaces/${namespace}`;
  const data = { SMTP_HOST: SERVICE.SMTP_HOST, SMTP_PORT: "587", SMTP_USER: SERVICE.SMTP_USER, SMTP_PROTOCOL: "tls" };
  await byHand(scene.simulator.url, `${path}/configmaps/moodle-env`, { data });
  await byHand(scene.simulator.url, `${path}/secrets/mail`, { data: { SMTP_PASSWORD: btoa(SERVICE.SMTP_PASS) } });
  const { database, saveDatabase } = site();
  saveDatabase({ ...database!, config: { ...database!.config, noemailever: "0" } });
  const mail = { host: SERVICE.SMTP_HOST, port: 587, user: SERVICE.SMTP_USER, from: SERVICE.SMTP_FROM };
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{mail}', $2::jsonb) where id = $1",
    [id, mail],
  );
}

async function drifted({ scene, row }: Clinic): Promise<string[]> {
  await lookOnce(scene.app);
  return ((await row()).drift?.objects ?? []).map(({ object }: { object: string }) => object);
}

const restarted = (clinic: Clinic) =>
  clinic.objects("Deployment")[0]!["spec"].template.metadata.annotations?.[RESTART_ANNOTATION] ?? null;

test("is sent by the relay with an account that the relay knows.", () =>
  withSite(RELAY, async (clinic) => {
    const user = `site-${clinic.namespace}`;
    assert.equal(account(clinic), ["relay.example.org", user, deriveRelayPassword(SECRET, user)]);
    assert.is(await leaks(clinic), false);
    assert.is(clinic.site().database!.config!.noemailever, "0");
    assert.equal(readOperationNotes(await clinic.last("provision")).filter((one) => !/sign-in-link/.test(one)), []);

    assert.is((await clinic.does("reapply")).state, "succeeded");
    assert.is(restarted(clinic), null, "what is right already needs no restart");

    await giveServiceAccount(clinic);
    assert.equal(await drifted(clinic), ["ConfigMap/moodle-env"]);
    assert.is((await clinic.does("reapply")).state, "succeeded");
    assert.equal(account(clinic), ["relay.example.org", user, deriveRelayPassword(SECRET, user)]);
    assert.is(await leaks(clinic), false);
    assert.ok(restarted(clinic), "Moodle uses the account until it restarts");
    assert.equal(await drifted(clinic), []);
  }));

test("is not sent without a relay; a reapply removes an earlier account.", () =>
  withSite({}, async (clinic) => {
    assert.equal(account(clinic), ["localhost", "", ""]);
    assert.is(clinic.site().database!.config!.noemailever, "1");
    assert.match(readOperationNotes(await clinic.last("provision")).join(), "no mail relay is configured");

    await giveServiceAccount(clinic);
    assert.is(await leaks(clinic), true);
    assert.equal(await drifted(clinic), ["ConfigMap/moodle-env"]);
    assert.is((await clinic.does("reapply")).state, "succeeded");
    assert.equal(account(clinic), ["localhost", "", ""]);
    assert.is(await leaks(clinic), false);
    assert.ok(restarted(clinic));
    assert.is(clinic.site().database!.config!.noemailever, "1");
  }));

test("has another password after a change of the relay's secret and a reapply.", () =>
  withSite(RELAY, async (clinic) => {
    const path = `${CORE}/namespaces/${clinic.namespace}/secrets/mail`, before = account(clinic);
    await byHand(clinic.scene.simulator.url, path, { data: { SMTP_PASSWORD: btoa("of-the-secret-before") } });
    assert.is((await clinic.does("reapply")).state, "succeeded");
    assert.equal(account(clinic), before);
    assert.ok(restarted(clinic));
  }));

test.run();
