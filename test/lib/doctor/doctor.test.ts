/** Tests the findings of doctor without the trial. trial.test.ts tests the trial. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SECOND } from "#lib/base/time.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "#test/support/kube/certificate.ts";
import { openKubeServer, respondWithError } from "#test/support/kube/server.ts";
import { kubeconfigOf } from "./kube-proxy.ts";
import { until } from "#test/support/until.ts";
import { type Changes, findingsOf, openScene, type Scene } from "./scene.ts";

const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const SNAPSHOTS = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses";
const INGRESSES = "/apis/networking.k8s.io/v1/ingressclasses";
const ISSUERS = "/apis/cert-manager.io/v1/clusterissuers";
const DEFAULT = "storageclass.kubernetes.io/is-default-class";
const ACME = { env: { ACME_EMAIL: "ops@example.org" } };

const test = suite<{ scene: Scene }>("runChecks");

test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

test("finds only missing configuration in a suitable cluster", async ({ scene }) => {
  const sections = await scene.examine();
  assert.equal(sections.map(({ target: place, name }) => [place, name]), [
    ["configuration", null],
    ["database", null],
    ["surroundings", null],
    ["cluster", "default"],
  ]);
  const bad = sections[3]!.findings.filter(({ level }) => level !== "ok").map(({ check }) => check);
  assert.equal(bad, ["certificates", "trial"], "no ACME_EMAIL and no trial");
  assert.is(sections[3]!.where, `${scene.simulator.url}, ${scene.file}, context simulated`);
  assert.not(scene.simulator.writes().some(({ path }) => !path.includes("selfsubjectaccessreviews")));
});

const connection = async (scene: Scene, changes: Changes) => {
  const findings = await scene.cluster({ readTimeout: 10 * SECOND, ...changes });
  assert.equal(findings.map(({ check }) => check), ["connection"], "an unreachable cluster is not checked further");
  return findings[0]!;
};

test("returns one failure if the cluster is unreachable", async ({ scene }) => {
  const KUBECONFIG = await scene.write("closed", kubeconfigOf("http://127.0.0.1:1"));
  const { level, message } = await connection(scene, { env: { KUBECONFIG } });
  assert.is(level, "failing");
  assert.match(message, /^cannot use the cluster: GET 127\.0\.0\.1:1\/version: .*(ECONNREFUSED|refused)/);
});

test("stops after the time limit if the cluster hangs", async ({ scene }) => {
  const server = await openKubeServer(() => {}); // never responds
  const KUBECONFIG = await scene.write("hanging", kubeconfigOf(server.url));
  const { level, message } = await connection(scene, { env: { KUBECONFIG }, readTimeout: 200 });
  assert.is(level, "failing");
  // Both limits are 200 ms: that of the call, and that of the check.
  assert.match(message, /^cannot use the cluster: (?:no answer within 0\.2 s|GET \S+ took over 200 ms)$/);
  await server.close();
});

test("reports an untrusted certificate", async ({ scene }) => {
  const server = await openKubeServer(() => {}, { cert: CERTIFICATE, key: CERTIFICATE_KEY });
  const KUBECONFIG = await scene.write("untrusted", kubeconfigOf(server.url));
  const { level, message, hint } = await connection(scene, { env: { KUBECONFIG } });
  assert.is(level, "failing");
  assert.match(message, /certificate|UnknownIssuer/i);
  assert.match(hint!, "certificate authority in the kubeconfig");
  await server.close();
});

test("reports rejected credentials", async ({ scene }) => {
  const server = await openKubeServer((_, response) => respondWithError(response, 401, "Unauthorized", "Unauthorized"));
  const KUBECONFIG = await scene.write("refused", kubeconfigOf(server.url));
  const { level, hint } = await connection(scene, { env: { KUBECONFIG } });
  assert.equal([level, hint], ["failing", "Renew the credentials in the kubeconfig."]);
  await server.close();
});

test("reports a missing kubeconfig", async ({ scene }) => {
  const { level, message } = await connection(scene, { env: { KUBECONFIG: "/nowhere/kubeconfig" } });
  assert.is(level, "failing");
  assert.match(message, "Cannot read the kubeconfig file /nowhere/kubeconfig");
});

test("fails without a default storage class", async ({ scene }) => {
  await scene.change(`${CLASSES}/standard`, { metadata: { annotations: { [DEFAULT]: "false" } } });
  const findings = await scene.cluster();
  assert.equal(findingsOf(findings, "storage"), ["failing no default storage class exists (found: standard)"]);
  assert.match(findingsOf(findings, "snapshots")[0]!, /^warning could not be checked/);
});

test("warns about two default storage classes", async ({ scene }) => {
  const metadata = { name: "second", annotations: { [DEFAULT]: "true" } };
  await scene.create(CLASSES, { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata, provisioner: "x" });
  assert.match(findingsOf(await scene.cluster(), "storage")[1]!, /^warning 2 default storage classes exist/);
});

test("warns about a snapshot class that deletes, and about a missing one", async ({ scene }) => {
  await scene.change(`${SNAPSHOTS}/standard-retain`, null);
  assert.match(
    findingsOf(await scene.cluster(), "snapshots")[0]!,
    /^warning backups would be deleted with their spoke: class standard/,
  );
  await scene.change(`${SNAPSHOTS}/standard`, null);
  assert.match(
    findingsOf(await scene.cluster(), "snapshots")[0]!,
    /^warning backups are not possible: no snapshot class/,
  );
});

test("fails without the ingress class", async ({ scene }) => {
  await scene.change(`${INGRESSES}/nginx`, null);
  assert.equal(findingsOf(await scene.cluster(), "ingress"), ["failing ingress class nginx does not exist"]);
});

test("requires no permissions for API groups that the cluster does not serve", async ({ scene }) => {
  const { KUBECONFIG } = await scene.proxy(({ path }, response) => {
    const absent = /^\/apis\/((acme\.)?cert-manager\.io|snapshot\.storage\.k8s\.io)/.test(path);
    if (absent) response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found\n");
    return absent;
  });
  for (const resource of ["clusterissuers.cert-manager.io", "orders.acme.cert-manager.io"]) {
    scene.simulator.faults.add({ type: "forbid", verb: "*", resource });
  }
  const findings = await scene.cluster({ env: { ...ACME.env, KUBECONFIG } });
  assert.match(
    findingsOf(findings, "certificates")[0]!,
    /^failing ACME_EMAIL is set, but cert-manager is not installed/,
  );
  assert.match(
    findingsOf(findings, "snapshots")[0]!,
    /^warning backups are not possible: the cluster does not support/,
  );
  assert.match(findingsOf(findings, "permissions")[0]!, /^ok all \d+ required permissions/);
  const [without] = findingsOf(await scene.cluster({ env: { KUBECONFIG } }), "certificates");
  assert.match(without!, /^warning sites use plain HTTP/);
});

test("finds an issuer that is ready", async ({ scene }) => {
  assert.match(
    findingsOf(await scene.cluster(ACME), "certificates")[0]!,
    /^ok cert-manager is installed; ClusterIssuer wheelwright-main-nginx/,
  );
  const metadata = { name: "wheelwright-main-nginx" };
  await scene.create(ISSUERS, {
    apiVersion: "cert-manager.io/v1",
    kind: "ClusterIssuer",
    metadata,
    spec: { acme: {} },
  });
  await until(async () =>
    findingsOf(await scene.cluster(ACME), "certificates")[0] === "ok ClusterIssuer wheelwright-main-nginx is ready"
  );
});

test("lists missing permissions and continues", async ({ scene }) => {
  scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "jobs.batch" });
  scene.simulator.faults.add({ type: "forbid", verb: "get", resource: "pods/log" });
  scene.simulator.faults.add({ type: "forbid", verb: "watch", resource: "namespaces" });
  scene.simulator.faults.add({ type: "forbid", verb: "list", resource: "storageclasses.storage.k8s.io" });
  const findings = await scene.cluster();
  assert.equal(findingsOf(findings, "permissions"), [
    "failing missing: get pods/log; create jobs.batch",
    "warning missing: watch namespaces (operations wait a few seconds longer)",
    "warning missing: list storageclasses.storage.k8s.io (doctor checks less)",
  ]);
  assert.match(findingsOf(findings, "storage")[0]!, /^warning could not be checked: storageclasses.* is forbidden/);
  assert.match(findingsOf(findings, "ingress")[0]!, /^ok/);
});

test("requires only cluster-wide permissions with CLUSTER_ROLE", async ({ scene }) => {
  for (const verb of ["get", "create", "patch"]) {
    scene.simulator.faults.add({ type: "forbid", verb, resource: "secrets" });
  }
  scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "rolebindings.rbac.authorization.k8s.io" });
  const findings = await scene.cluster({ env: { CLUSTER_ROLE: "wheelwright-spoke" } });
  assert.equal(findingsOf(findings, "permissions"), ["failing missing: create rolebindings.rbac.authorization.k8s.io"]);
  assert.equal(findingsOf(await scene.cluster(), "permissions"), ["failing missing: create, patch and get secrets"]);
});

test("returns one warning for a call without a response", async ({ scene }) => {
  scene.simulator.faults.latency(60_000, { path: "/ingressclasses" });
  const findings = await scene.cluster({ readTimeout: SECOND });
  assert.equal(findingsOf(findings, "ingress"), ["warning could not be checked: no answer within 1 s"]);
  assert.match(findingsOf(findings, "storage")[0]!, /^ok/);
});

const REGIONS = (other: string) =>
  JSON.stringify({
    regions: [
      { name: "here" },
      { name: "there", context: other, cluster: { storageClass: "fast" } },
      { name: "too", context: other, cluster: { ingressClass: "haproxy" } },
    ],
  });

test("checks each cluster once, with the requirements of all its regions", async ({ scene }) => {
  const sections = await scene.examine({ catalogText: REGIONS("nowhere") });
  const places = sections.filter(({ target: place }) => place === "cluster");
  assert.equal(places.map(({ name }) => name), ["default", "nowhere"]);
  assert.match(places[1]!.findings[0]!.message, "has no context nowhere; available: simulated");
  const [one] = (await scene.examine({ catalogText: REGIONS("simulated"), region: "there" })).slice(3);
  assert.equal([one!.name, findingsOf(one!.findings, "storage")], ["simulated", [
    "failing storage class fast does not exist",
  ]]);
  const [, both] = (await scene.examine({ catalogText: REGIONS("simulated") })).slice(3);
  assert.equal(findingsOf(both!.findings, "ingress"), [
    "ok class nginx",
    "failing ingress class haproxy does not exist (found: nginx)",
  ]);
  assert.is(findingsOf(both!.findings, "certificates").length, 1, "no duplicate findings");
});

test("stops when cancelled", async ({ scene }) => {
  scene.simulator.faults.latency(60_000, { path: "/version" });
  const stop = new AbortController();
  const ended = scene.examine({ signal: stop.signal }).catch((error) => error);
  stop.abort(new Error("enough"));
  assert.is((await ended).message, "enough");
});

test.run();
