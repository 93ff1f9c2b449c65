/** Tests the health of a site whose pods run but whose login page does not answer. */
import { get } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { byHand, lookOnce } from "./checks.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { until } from "#test/support/until.ts";
import { type Clinic, openClinic } from "#test/lib/workers/actions/scene.ts";

const test = suite<{ clinic: Clinic }>("health by the login page");
test.before(async (context) => void (context.clinic = await openClinic()));
test.after.each(({ clinic }) => clinic.scene.simulator.faults.clear());
test.after(({ clinic }) => clinic.close());

const REASON = "Deployment moodle has no available pod";
const LOOKS = 3; // as many as make a spoke degraded

const isAvailable = ({ objects }: Clinic): boolean =>
  objects("Deployment").every(({ status }) => (status?.availableReplicas ?? 0) > 0);

/** The health after so many looks, once the cluster says whether the Deployment is available. */
async function healthWhen(clinic: Clinic, available: boolean): Promise<string> {
  await until(() => isAvailable(clinic) === available);
  for (let i = 0; i < LOOKS; i++) await lookOnce(clinic.scene.app);
  return (await clinic.row()).health;
}

async function reasons({ scene, id }: Clinic): Promise<unknown[]> {
  const text = "select metadata from audit_events where kind = 'spoke_health_changed' and spoke_id = $1 order by at";
  return (await scene.db.sql(text, [id])).map(({ metadata: { to, reason } }) => [to, reason]);
}

/** Returns the kubelet's events about the web server's pod. */
function probeFailures({ objects }: Clinic): string[] {
  return objects("Event").filter(({ reason }) => reason === "Unhealthy").map(({ message }) => message);
}

for (const name of ["allow-app-to-db", "db-from-app"]) {
  test(`is lost with the NetworkPolicy ${name}, and comes back with it.`, async ({ clinic }) => {
    assert.is(await healthWhen(clinic, true), "healthy");
    const from = (await reasons(clinic)).length;
    const policy = clinic.objects("NetworkPolicy").find(({ metadata }) => metadata.name === name)!;
    const { url } = clinic.scene.simulator, policies = `/apis/networking.k8s.io/v1/namespaces/${clinic.namespace}`;
    await byHand(url, `${policies}/networkpolicies/${name}`, null);
    assert.is(await healthWhen(clinic, false), "degraded");
    assert.match(probeFailures(clinic).join("\n"), "Readiness probe failed: curl: (28) Operation timed out");
    const running = clinic.objects("Pod").filter(({ metadata }) => metadata.labels?.app === "moodle");
    assert.equal(running.map(({ status }) => status?.phase), ["Running"], "and no pod ended");
    await create(url, `${policies}/networkpolicies`, policy);
    assert.is(await healthWhen(clinic, true), "healthy");
    assert.equal((await reasons(clinic)).slice(from), [["degraded", REASON], ["healthy", null]]);
  });
}

test("is lost while the page answers with an error, and the pod stays in the service.", async ({ clinic }) => {
  const { faults } = clinic.scene.simulator, { namespace } = clinic;
  const fault = faults.add({ type: "failing-page", name: `${namespace}/moodle-`, status: 500 });
  assert.is(await healthWhen(clinic, false), "degraded");
  assert.match(
    probeFailures(clinic).join("\n"),
    "Readiness probe failed: curl: (22) The requested URL returned error: 500",
  );
  const site = `http://127.0.0.1:${clinic.scene.simulator.sitePort}/login/index.php`;
  assert.is((await visit(site, (await clinic.row()).domain)).status, 500, "the site's own answer");
  faults.remove(fault);
  assert.is(await healthWhen(clinic, true), "healthy");
});

test("is kept in maintenance, which was requested.", async ({ clinic }) => {
  assert.is((await clinic.does("maintenance-on")).state, "succeeded");
  assert.is(await healthWhen(clinic, true), "healthy");
  assert.is((await clinic.does("maintenance-off")).state, "succeeded");
  assert.is(await healthWhen(clinic, true), "healthy");
});

test("is not reached by a web server that starts while the network drops its packets to the database.", async ({ clinic }) => {
  const policy = clinic.objects("NetworkPolicy").find(({ metadata }) => metadata.name === "allow-app-to-db")!;
  const { url } = clinic.scene.simulator, namespace = `/namespaces/${clinic.namespace}`;
  const policies = `/apis/networking.k8s.io/v1${namespace}/networkpolicies`;
  await byHand(url, `${policies}/allow-app-to-db`, null);
  const [before] = clinic.objects("Pod").filter(({ metadata }) => metadata.labels?.app === "moodle");
  await byHand(url, `/api/v1${namespace}/pods/${before!.metadata.name}`, null);
  const after = await until(() =>
    clinic.objects("Event").find(({ message, involvedObject }) =>
      involvedObject.name !== before!.metadata.name && message.startsWith("Startup probe failed: curl: (7)")
    )
  );
  const log = await fetch(`${url}/api/v1${namespace}/pods/${after.involvedObject.name}/log`);
  assert.match(await log.text(), "Waiting for db:5432 to be ready");
  assert.is(await healthWhen(clinic, false), "degraded");
  await create(url, policies, policy);
  assert.is(await healthWhen(clinic, true), "healthy");
});

async function create(
  url: string,
  path: string,
  { metadata, ...rest }: StoredObject | object & { metadata?: unknown },
) {
  const { resourceVersion: _, uid: __, ...kept } = metadata as Record<string, unknown>;
  const body = JSON.stringify({ ...rest, metadata: kept });
  const answer = await fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.is(answer.status, 201, await answer.text());
}

async function visit(url: string, host: string): Promise<{ status: number }> {
  return await new Promise((resolve, reject) => {
    get(url, { headers: { host } }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode! });
    }).on("error", reject);
  });
}

test.run();
