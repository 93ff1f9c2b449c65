/** Tests the objects of the chart, and that invalid values are rejected. Skipped without Helm (`npm run generate -- tools`). */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findStaleManifests } from "./manifests.ts";
import { EnvironmentVariables } from "#lib/base/variables.ts";
import { type Config, readConfig } from "#lib/base/config.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import {
  CHART,
  readObjects,
  renderObjects,
  renderTemplates,
  REQUIRED_CHART_VALUES as VALUES,
  runHelm,
} from "#test/support/chart.ts";
import { putAsAdmin, SERVICE_ACCOUNT } from "#test/support/service-account.ts";
import { helm } from "#test/support/tools.ts";
import { type Kube, openKube } from "#test/lib/dev/simulator/kube-client.ts";

const test = suite<{ kube: Kube }>("deploy/helm/wheelwright");
const rendered = helm === null ? test.skip : test;

/** Values that enable every option, and others that change the rendered objects. */
const MOST = {
  ...VALUES,
  image: { repository: "registry.example.org/wheelwright", tag: "0.1.0-2", pullSecrets: ["registry"] },
  config: { ACME_EMAIL: "ops@example.org", POSTGRES_HOST: "db.example.org", TRUSTED_PROXIES: "10.42.0.0/16" },
  catalog: 'versions: ["4.5.12"]\n',
  blueprint: { "surroundings.yaml": "ingressClass: traefik\n", "issuer.yaml": "---\n" },
  migrations: { existingSecret: "wheelwright-owner" },
  authorities: { existingConfigMap: "authorities" },
  workers: { separate: true },
  autoscaling: { enabled: true },
  podAnnotations: { "example.org/a": "b" },
  nodeSelector: { "kubernetes.io/arch": "amd64" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
  priorityClassName: "system-cluster-critical",
  ingress: { enabled: true, className: "nginx", tls: { clusterIssuer: "letsencrypt" } },
  networkPolicy: { from: [{ namespaceSelector: {} }], metricsFrom: [{ podSelector: {} }] },
  metrics: { serviceMonitor: { enabled: true }, alerts: { enabled: true }, dashboard: { enabled: true } },
};
const CHOICES: Readonly<Record<string, object>> = {
  least: VALUES,
  most: MOST,
  traefik: { ...VALUES, ingress: { enabled: true, controller: "traefik", tls: { enabled: false } } },
  "no controller": { ...VALUES, ingress: { enabled: true, controller: "none", tls: { enabled: false } } },
  "other clusters": { ...MOST, kubeconfig: { existingSecret: "clusters", clusterRole: "wheelwright-spoke" } },
  less: { ...VALUES, migrations: { enabled: false }, networkPolicy: { enabled: false }, metrics: { enabled: false } },
};

const of = (objects: readonly Json[], kind: string, name?: string): Json =>
  objects.find((each) => each.kind === kind && (name === undefined || each.metadata.name === name));
const containerOf = (object: Json): Json => object.spec.template.spec.containers[0];
const sourcesOf = (object: Json): string[] =>
  containerOf(object).envFrom.map(({ secretRef, configMapRef }: Json) => secretRef?.name ?? configMapRef.name);

/** Reads the configuration as the program would in a pod with these extra variables. */
function configWith(env: Record<string, string>): Config {
  const { publicUrl: PUBLIC_URL, rootDomain: ROOT_DOMAIN } = VALUES;
  const pod = { DATABASE_URL: "postgres://a:b@c/d", KUBERNETES_SERVICE_HOST: "10.43.0.1", PUBLIC_URL, ROOT_DOMAIN };
  return readConfig({ mode: "serve", env: { ...pod, ...env }, terminal: false });
}

test.before(async (context) => {
  context.kube = await openKube();
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await putAsAdmin(context.kube.simulator, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: SERVICE_ACCOUNT.namespace, labels },
  });
});
test.after(({ kube }) => kube.close());

for (const [name, values] of Object.entries(CHOICES)) {
  rendered(
    `is taken by the API server object for object, and its pods as restricted ones: ${name}`,
    async ({ kube }) => {
      const objects = renderObjects(values);
      for (const object of objects.filter(({ kind }) => kind === "ServiceAccount")) {
        await putAsAdmin(kube.simulator, object);
      }
      for (const object of objects) await putAsAdmin(kube.simulator, object, "&dryRun=All&fieldValidation=Strict");
      const templates = objects.filter(({ spec }) => spec?.template).map(({ spec: { template } }) => template);
      assert.ok(templates.length > 0);
      for (const { metadata, spec } of templates) {
        const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name: "one" }, spec };
        await putAsAdmin(kube.simulator, pod, "&dryRun=All");
        assert.is(spec.containers[0].securityContext.readOnlyRootFilesystem, true);
      }
    },
  );
}

rendered("gives replicas that do not work on spokes an account to which no right is bound", () => {
  const objects = renderObjects(MOST);
  const [api, worker] = ["wheelwright", "wheelwright-worker"].map((name) => of(objects, "Deployment", name));
  const variable = (deployment: Json, name: string) =>
    containerOf(deployment).env.find((each: Json) => each.name === name)?.value;
  assert.equal([variable(api, "SCHEDULER"), variable(worker, "SCHEDULER")], ["off", "on"]);
  assert.equal([variable(api, "CLUSTER_ROLE"), variable(worker, "CLUSTER_ROLE")], [undefined, "wheelwright-spoke"]);
  const account = ({ spec }: Json) => spec.template.spec.serviceAccountName;
  assert.equal([account(api), account(worker)], ["wheelwright-api", "wheelwright"]);
  const bound = objects.filter(({ kind }) => /Binding$/.test(kind)).flatMap(({ subjects = [] }) => subjects);
  assert.equal(bound.map(({ name }) => name), ["wheelwright"]);
  const selected = of(objects, "Service", "wheelwright").spec.selector["app.kubernetes.io/component"];
  assert.is(selected, "api", "requests come to those alone");
  const foreign = renderObjects(CHOICES["other clusters"]!);
  assert.is(of(foreign, "ClusterRole"), undefined, "nobody needs a right in this cluster");
});

rendered("gives the owner's credentials only to the migration Job, which needs no later object", () => {
  const objects = renderObjects(MOST), job = of(objects, "Job");
  assert.is(job.metadata.annotations["helm.sh/hook"], "pre-install,pre-upgrade");
  assert.equal(sourcesOf(job), ["wheelwright", "wheelwright-owner"]);
  assert.equal(containerOf(job).env.slice(1), [{ name: "POSTGRES_HOST", value: "db.example.org" }]);
  assert.is(job.spec.template.spec.automountServiceAccountToken, false);
  const deployments = objects.filter(({ kind }) => kind === "Deployment");
  for (const deployment of deployments) assert.not.match(JSON.stringify(deployment), "wheelwright-owner");
});

rendered("lets all that asks a database believe the authorities that are named", () => {
  const objects = renderObjects(MOST).filter(({ spec }) => spec?.template);
  assert.is(objects.length, 3);
  for (const object of objects) {
    const { env, volumeMounts } = containerOf(object), { volumes } = object.spec.template.spec;
    const { value } = env.find(({ name }: Json) => name === "NODE_EXTRA_CA_CERTS");
    const { name, mountPath } = volumeMounts.find(({ mountPath }: Json) => value === `${mountPath}/ca.crt`);
    assert.is(mountPath, "/etc/wheelwright/authorities");
    assert.is(volumes.find((volume: Json) => volume.name === name).configMap.name, "authorities");
  }
});

rendered("leaves replicas the time that they take to stop, and replaces none before another is ready", () => {
  for (const ms of [undefined, "0", "60500"]) {
    const config: Record<string, string> = ms === undefined ? {} : { SHUTDOWN_GRACE_MS: ms };
    const { spec } = of(renderObjects({ ...VALUES, config }), "Deployment"), pod = spec.template.spec;
    const { shutdownGraceMs } = configWith(config);
    assert.ok(pod.terminationGracePeriodSeconds >= shutdownGraceMs / 1000 + 10, ms);
    assert.equal(spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
  }
});

rendered("gives its account what stands in cluster-role.yaml, by any name and in any namespace", () => {
  const objects = renderObjects(VALUES, "hubs", "platform"), name = "hubs-wheelwright";
  const user = `system:serviceaccount:platform:${name}`;
  assert.is(
    containerOf(of(objects, "Deployment")).env.find((each: Json) => each.name === "CLUSTER_ROLE").value,
    `${name}-spoke`,
  );
  assert.equal(of(objects, "ClusterRole", name).rules.at(-1).resourceNames, [`${name}-spoke`]);
  const policies = objects.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
  for (const { spec } of policies) {
    assert.is(spec.matchConditions[0].expression, `request.userInfo.username == "${user}"`);
    assert.is(spec.failurePolicy, "Fail");
  }
  const enforced = objects.filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding").map(({ spec }) =>
    spec.policyName
  );
  assert.equal(enforced.sort(), policies.map(({ metadata }) => metadata.name).sort());
});

rendered("lets nobody read the metrics but whom monitoring is in, unless others are named", () => {
  const open = (networkPolicy: object) =>
    of(renderObjects({ ...VALUES, networkPolicy }), "NetworkPolicy").spec.ingress
      .find(({ ports: [{ port }] }: Json) => port === "metrics").from;
  assert.equal(open({}), [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }]);
  assert.is(open({ metricsFrom: [] }), undefined);
});

rendered("sets for event streams what each controller needs", () => {
  const annotations = (ingress: object) =>
    Object.entries<string>(
      of(renderObjects({ ...VALUES, ingress: { enabled: true, ...ingress } }), "Ingress").metadata
        .annotations ?? {},
    )
      .map(([name, value]) => `${name}: ${value}`);
  assert.equal(annotations({}), [
    "nginx.ingress.kubernetes.io/proxy-buffering: off",
    "nginx.ingress.kubernetes.io/proxy-read-timeout: 3600",
    "nginx.ingress.kubernetes.io/proxy-body-size: 1m",
  ]);
  assert.equal(annotations({ controller: "traefik" }), [
    "traefik.ingress.kubernetes.io/router.entrypoints: websecure",
    "traefik.ingress.kubernetes.io/router.tls: true",
  ]);
  assert.equal(annotations({ controller: "none" }), []);
});

const REFUSED: readonly (readonly [what: string, values: object, reason: RegExp])[] = [
  ["no image", { image: {} }, /image\/repository/],
  ["no address", { publicUrl: "" }, /publicUrl/],
  ["an invalid address", { publicUrl: "hubs.example.org" }, /publicUrl/],
  ["no domain", { rootDomain: "" }, /rootDomain/],
  ["no Secret", { existingSecret: "" }, /existingSecret/],
  ["a value that is misspelt", { replica: 3 }, /replica/],
  ["no replica", { replicas: 0 }, /replicas/],
  ["a password among what everybody may read", { config: { SMTP_PASS: "x" } }, /SMTP_PASS/],
  ["a token among what everybody may read", { config: { OTEL_EXPORTER_OTLP_HEADERS: "a=b" } }, /HEADERS/],
  ["a variable that the chart sets", { config: { SCHEDULER: "off" } }, /SCHEDULER/],
  ["a variable that is not a string", { config: { PORTAL: true } }, /config\/PORTAL/],
  ["an invalid duration", { config: { SHUTDOWN_GRACE_MS: "25s" } }, /SHUTDOWN_GRACE_MS/],
  ["an owner without migrations", { migrations: { enabled: false, existingSecret: "owner" } }, /migrations/],
  ["autoscaling without metrics", { autoscaling: { enabled: true }, metrics: { enabled: false } }, /metrics/],
  ["alerts without metrics", { metrics: { enabled: false, alerts: { enabled: true } } }, /alerts/],
  ["metrics where requests come", { metrics: { port: 3000 } }, /metrics\/port/],
  ["a certificate without TLS", { ingress: { tls: { enabled: false, clusterIssuer: "x" } } }, /clusterIssuer/],
  ["a role of clusters that are not named", { kubeconfig: { clusterRole: "x" } }, /clusterRole/],
  [
    "a path before all paths",
    { publicUrl: "https://a.example/hubs", ingress: { enabled: true } },
    /publicUrl must not have a path/,
  ],
  ["the most below the least", { autoscaling: { enabled: true, maxReplicas: 1 } }, /minReplicas must not be more than/],
];
for (const [what, values, reason] of REFUSED) {
  rendered(`refuses ${what}`, () => {
    assert.throws(() => renderTemplates({ ...VALUES, ...values }), (error: Json) => reason.test(error.stderr ?? ""));
  });
}

rendered("takes no variable of the configuration for another", async () => {
  const { properties } = JSON.parse(await readFile(`${CHART}/values.schema.json`, "utf8"));
  const [{ pattern }, { enum: set }] = properties.config.propertyNames.not.anyOf;
  const known = Object.keys(EnvironmentVariables.entries);
  assert.equal(set.filter((name: string) => !known.includes(name)), []);
  const secret = known.filter((name) => /PASS|SECRET|TOKEN|_KEY$|HEADERS$|^DATABASE_.*URL$/.test(name));
  assert.equal(secret.filter((name) => !new RegExp(pattern).test(name)), []);
  const env = Object.fromEntries(
    containerOf(of(renderObjects(VALUES), "Deployment")).env.map(({ name, value }: Json) => [name, value]),
  );
  const config = configWith(env);
  assert.equal([config.clusterRole, config.metricsPort, config.scheduler.on], ["wheelwright-spoke", 9464, true]);
});

rendered("matches deploy/kubernetes and passes helm lint", async () => {
  assert.equal(await findStaleManifests(), []);
  assert.match(runHelm(["lint", CHART, "--strict", "--values", "-"], JSON.stringify(VALUES)), /0 chart\(s\) failed/);
});

test("plain manifests need nothing of Helm", async () => {
  for (const file of ["cluster-role", "migrate", "wheelwright", "monitoring"]) {
    const text = await readFile(new URL(`../../deploy/kubernetes/${file}.yaml`, import.meta.url), "utf8");
    assert.not.match(text, /helm\.sh|managed-by: Helm/);
    assert.ok(readObjects(text).length > 0);
  }
});

test.run();
