/** Moves a site to another domain and back. One site with certificates, in this order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OPERATIONS } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { DAY } from "#lib/base/time.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { showSpoke } from "#lib/domains/spokes/show.ts";
import type { SpokeRecord } from "#lib/domains/spokes/views.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { RESTART_ANNOTATION } from "#lib/steps/spoke-action.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { rejection, until } from "#test/support/until.ts";
import { auditsOf, holderOf } from "#test/lib/workers/actions/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { type ConfigureClinic, openConfigureClinic } from "./scene.ts";

const FIRST = "algebra.spokes.example.org", SECOND = "algebra.school.example", THIRD = "maths.school.example";

const test = suite<{ clinic: ConfigureClinic }>("a move");
test.before(async (context) => void (context.clinic = await openConfigureClinic({ ACME_EMAIL: "ops@example.org" })));
test.before.each(({ clinic }) => clinic.scene.simulator.faults.clear());
test.after(({ clinic }) => clinic.close());

/** Returns each Ingress: its hosts, their certificate Secrets, and its target if it is not the site. */
function ingresses(clinic: ConfigureClinic): unknown[] {
  return clinic.objects("Ingress").map(({ metadata, spec }) => [
    spec.rules.map(({ host }: { host: string }) => host).join(" "),
    spec.tls.map(({ hosts, secretName }: { hosts: string[]; secretName: string }) =>
      `${hosts} ${
        secretName === "moodle-tls" ? "first" : /^moodle-tls-[0-9a-f]{12}$/.test(secretName) ? "own" : secretName
      }`
    ).join(" "),
    metadata.annotations?.["nginx.ingress.kubernetes.io/permanent-redirect"] ?? null,
  ]).sort(([a], [b]) => a < b ? -1 : 1);
}

const audits = (clinic: ConfigureClinic): string =>
  clinic.objects("ConfigMap").find(({ metadata }) => metadata.name === "moodle-env")!["data"].SITE_URL;

async function pages({ scene, row }: ConfigureClinic): Promise<SpokeRecord> {
  return await showSpoke(scene.db.rows, scene.actor, await row());
}

async function drift({ scene, row }: ConfigureClinic): Promise<unknown> {
  await lookOnce(scene.app);
  return (await row()).drift;
}

/** Returns the error of another spoke that requests the domain. */
async function claim({ scene, row }: ConfigureClinic, domain: string): Promise<string | undefined> {
  const hub = (await findFederation(scene.db.rows, (await row()).federationId, "shown"))!;
  const input = { slug: `other-${domain.replaceAll(".", "-")}`, domain } as never;
  return await createSpoke(scene.app, scene.actor, hub, input, null).then(() => undefined, ({ code }) => code);
}

const LEAD_TO_FIRST = [[FIRST, `${FIRST} first`, null]];
const LEAD_TO_SECOND = [
  [SECOND, `${SECOND} own`, null],
  [FIRST, `${FIRST} first`, `https://${SECOND}`],
];

test("serves the site under both domains before Moodle changes its URL", async ({ clinic }) => {
  const release = clinic.holdBack("verify-");
  const { domain, operation, state } = await clinic.patch({ domain: SECOND });
  assert.equal([domain, operation?.kind, state], [FIRST, "configure", "updating"]);
  await clinic.passes("configure", "ingress");
  assert.equal(ingresses(clinic), [[`${FIRST} ${SECOND}`, `${FIRST} first ${SECOND} own`, null]]);
  const certificates = clinic.objects("Certificate").map(({ spec, status }) => [
    spec.dnsNames.join(" "),
    status.conditions.find(({ type }: { type: string }) => type === "Ready").status,
  ]);
  assert.equal(certificates.sort(), [[SECOND, "True"], [FIRST, "True"]].sort());
  assert.equal([audits(clinic), clinic.site().files.wwwroot], [`https://${FIRST}`, FIRST]);
  assert.equal([await claim(clinic, SECOND), await claim(clinic, `www.${SECOND}`)], ["domain_taken", "domain_taken"]);
  const again = await rejection(clinic.patch({ domain: THIRD })) as Error;
  assert.match(
    again.message,
    /^Cannot change the domain of a spoke that is moving to algebra\.school\.example; wait/,
  );
  const hold = clinic.holdBack("health-");
  release();
  await clinic.passes("configure", "caches");
  assert.equal([audits(clinic), clinic.site().files.wwwroot], [`https://${SECOND}`, SECOND]);
  assert.equal([(await pages(clinic)).domain, ingresses(clinic).length], [FIRST, 1]);
  hold();
});

test("redirects the old domain for 30 days once the new one answers", async ({ clinic }) => {
  const job = await clinic.scene.ended(clinic.id, "configure");
  assert.is(job.state, "succeeded", job.failure?.message);
  assert.equal(ingresses(clinic), LEAD_TO_SECOND);
  const { domain, url, formerDomains, state, stateReason } = await pages(clinic);
  assert.equal([domain, url, state, stateReason], [SECOND, `https://${SECOND}`, "active", null]);
  const [former] = formerDomains, now = await clinic.scene.db.now();
  const days = Math.round((new Date(former!.until).getTime() - now.getTime()) / DAY);
  assert.equal([former!.domain, days, formerDomains.length], [FIRST, 30, 1]);
  assert.match(String((job.progress.notes as string[])[0]), /admin\/tool\/replace\) is experimental$/);
  const events = (await auditsOf(clinic)).filter(({ metadata }) => metadata["operationId"] === job.id);
  assert.equal(events.map(({ kind, metadata }) => [kind, metadata["domain"] ?? metadata["changed"]]), [
    ["spoke_updated", { domain: { from: FIRST, to: SECOND } }],
    ["spoke_action_succeeded", { from: FIRST, to: SECOND }],
  ]);
  assert.is(await drift(clinic), null);
  assert.equal([await claim(clinic, FIRST), await claim(clinic, SECOND)], ["domain_taken", "domain_taken"]);
});

test("writes nothing for the current domain", async ({ clinic }) => {
  const before = [await clinic.row(), (await clinic.scene.operations(clinic.id)).length];
  await clinic.patch({ domain: SECOND });
  assert.equal([await clinic.row(), (await clinic.scene.operations(clinic.id)).length], before);
});

test("keeps the old domain if the certificate is refused, and can be requested again", async ({ clinic }) => {
  const { metadata } = clinic.objects("Deployment")[0]!, message = "DNS problem: NXDOMAIN looking up A";
  const fault = clinic.scene.simulator.faults.add({ type: "uncertified", name: "moodle-tls-", message, final: true });
  const job = await clinic.configures({ domain: THIRD });
  assert.equal([job.state, job.failure!.step], ["failed", "ingress"]);
  assert.ok(job.failure!.hint);
  const { domain, formerDomains, stateReason, state } = await pages(clinic);
  assert.equal([domain, formerDomains.length, state], [SECOND, 1, "active"]);
  assert.match(stateReason!, /; the site keeps the domain algebra\.school\.example$/);
  assert.equal(ingresses(clinic), LEAD_TO_SECOND);
  assert.is(clinic.objects("Deployment")[0]!.metadata.generation, metadata.generation, "nothing was restarted");
  await until(() => clinic.objects("Certificate").every(({ spec }) => !spec.dnsNames.includes(THIRD)));
  assert.is(await drift(clinic), null);
  clinic.scene.simulator.faults.remove(fault);
});

test("is reverted if the site does not answer", async ({ clinic }) => {
  const fault = clinic.scene.simulator.faults.failJob("health-", { log: ["503"], exitCode: 22 });
  const job = await clinic.configures({ domain: THIRD });
  assert.equal([job.state, job.failure!.code], ["failed", "Unhealthy"]);
  assert.equal(ingresses(clinic), LEAD_TO_SECOND);
  assert.is(audits(clinic), `https://${SECOND}`);
  await until(() => clinic.site().files.wwwroot === SECOND);
  assert.is(await drift(clinic), null);
  assert.is((await clinic.row()).requestedDomain, null);
  clinic.scene.simulator.faults.remove(fault);
});

test("swaps a domain and its redirect", async ({ clinic }) => {
  const job = await clinic.configures({ domain: FIRST });
  assert.is(job.state, "succeeded", job.failure?.message);
  assert.equal(ingresses(clinic), [
    [SECOND, `${SECOND} own`, `https://${FIRST}`],
    [FIRST, `${FIRST} first`, null],
  ]);
  assert.equal((await pages(clinic)).formerDomains.map(({ domain }) => domain), [SECOND]);
  assert.is(clinic.site().files.wwwroot, FIRST);
  assert.is(await drift(clinic), null);
});

test("is refused for a late holder", async ({ clinic }) => {
  const job = (await clinic.scene.operations(clinic.id)).filter(({ kind }) => kind === "configure").at(-1)!;
  assert.is(requireJobData(OPERATIONS.configure.kind, job).progress.after!.host, SECOND);
  const late = holderOf(clinic, job, "1");
  const { steps } = createHandlers(clinic.scene.app).find(({ kind }) => kind.kind === "configure")!;
  for (const step of ["ingress", "app", "redirect"]) {
    assert.is((await rejection(steps[step]!(late)) as Error).name, "FenceLostError", step);
  }
  assert.equal([audits(clinic), ingresses(clinic).length], [`https://${FIRST}`, 2]);
});

test("releases the old domain after 30 days", async ({ clinic }) => {
  const free = createHandlers(clinic.scene.app).find(({ kind }) => kind.kind === "release-domains")!;
  const upkeep = async () => await free.steps["spokes"]!(holderOf(clinic, await clinic.last("configure"), "1"));
  const before = (await clinic.scene.operations(clinic.id)).length;
  await clinic.scene.db.shiftClock(29 * DAY);
  await upkeep();
  assert.is((await clinic.scene.operations(clinic.id)).length, before);
  await clinic.scene.db.shiftClock(31 * DAY);
  const restarted = () => clinic.objects("Deployment")[0]!["spec"].template.metadata.annotations[RESTART_ANNOTATION];
  const at = restarted();
  await upkeep();
  await upkeep();
  assert.is((await clinic.scene.operations(clinic.id)).length, before + 1);
  const job = await clinic.scene.ended(clinic.id, "configure");
  assert.equal([job.state, job.requester.userId], ["succeeded", "system"], job.failure?.message);
  assert.equal([ingresses(clinic), restarted()], [LEAD_TO_FIRST, at]);
  assert.equal((await pages(clinic)).formerDomains, []);
  assert.equal((await auditsOf(clinic)).at(-1)!.metadata["freedDomains"], [SECOND]);
  assert.is(await drift(clinic), null);
  assert.is(await claim(clinic, SECOND), undefined);
});

test.run();
