/** Tests that regions and sizes of the catalog reach the rendered objects. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createHubInputs, createSpokeInputs } from "#lib/catalog/inputs.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { spokeOf } from "#test/lib/catalog/fixtures.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { allObjects, find, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { RELEASE } from "#test/support/release.ts";

const blueprint = openBlueprint();
const request = spokeOf(loadCatalog(undefined, blueprint));
const hub = { federationId: request.federationId, namespace: "hub-science-x9n3m8k5r2dg", slug: "science" };
const withMail = { acmeEmail: "ops@example.org" as string | null, relay: null, releaseId: RELEASE };
const without = { acmeEmail: null, relay: null, releaseId: RELEASE };

const regions = suite("the settings of a region");
const catalog = loadCatalog(
  `regions:
  - name: west
    cluster:
      storageClass: fast
      snapshotClass: kept
      ingressClass: traefik
      ingressNamespace: traefik-system
      dnsNamespace: dns
      controlPlaneNamespace: wheelwright
      acmeServer: https://acme.example.org/directory
  - { name: own, cluster: { issuer: corporate-ca } }
  - { name: wildcard, cluster: { tls: elsewhere, issuer: corporate-ca } }
  - east
`,
  blueprint,
);

function made(region: string, config = withMail) {
  const inputs = createSpokeInputs(catalog, config, { ...request, region });
  const objects = allObjects(blueprint, inputs), ingress = find(objects, "Ingress", "moodle");
  return {
    inputs,
    objects,
    ingress: ingress["spec"],
    issuer: ingress.metadata.annotations!["cert-manager.io/cluster-issuer"],
    url: find(objects, "ConfigMap", "moodle-env")["data"].SITE_URL,
  };
}

regions("are used in PVCs, Ingresses and NetworkPolicies", () => {
  const { objects, ingress, inputs } = made("west");
  const claims = [
    find(objects, "PersistentVolumeClaim", "files")["spec"],
    find(objects, "StatefulSet", "db")["spec"].volumeClaimTemplates[0].spec,
  ];
  assert.equal(claims.map(({ storageClassName }) => storageClassName), ["fast", "fast"]);
  assert.is(ingress.ingressClassName, "traefik");
  assert.is(inputs.surroundings.snapshotClass, "kept");
  const policies = JSON.stringify(objects.filter(({ kind }) => kind === "NetworkPolicy"));
  for (const namespace of ["traefik-system", "dns", "wheelwright"]) {
    assert.ok(policies.includes(`"kubernetes.io/metadata.name":"${namespace}"`), namespace);
  }
  assert.not.match(policies, /ingress-nginx|kube-system/);
});

regions("determine the issuer's name, ingress class and server", () => {
  assert.is(made("west").issuer, `wheelwright-${RELEASE}-traefik`);
  const [issuer] = blueprint.hubObjects(createHubInputs(catalog, withMail, { ...hub, region: "west" }), "issuer");
  assert.equal([issuer!.metadata.name, issuer!["spec"].acme.server], [
    `wheelwright-${RELEASE}-traefik`,
    "https://acme.example.org/directory",
  ]);
  assert.is(issuer!["spec"].acme.solvers[0].http01.ingress.ingressClassName, "traefik");
});

regions("can name an existing issuer, so that none is created", () => {
  for (const config of [withMail, without]) {
    const { issuer, ingress, url } = made("own", config);
    assert.is(issuer, "corporate-ca");
    assert.equal(ingress.tls, [{ hosts: [request.domain], secretName: "moodle-tls" }]);
    assert.is(url, `https://${request.domain}`);
    assert.equal(blueprint.hubObjects(createHubInputs(catalog, config, { ...hub, region: "own" }), "issuer"), []);
  }
});

regions("can declare that TLS ends elsewhere, so that no certificate is requested", () => {
  const { issuer, ingress, url } = made("wildcard");
  assert.equal([issuer, "tls" in ingress, url], [undefined, false, `https://${request.domain}`]);
});

regions("default to the blueprint's, with http if no ACME email address is set", () => {
  const { issuer, ingress, url } = made("east", without);
  assert.equal([issuer, "tls" in ingress, ingress.ingressClassName, url], [
    undefined,
    false,
    "nginx",
    `http://${request.domain}`,
  ]);
});

const sizes = suite("a size that the catalog defines");
const tiny = {
  app: { requests: { cpu: "200m", memory: "384Mi" }, limits: { cpu: "800m", memory: "768Mi" } },
  database: { requests: { cpu: "50m", memory: "128Mi" }, limits: { cpu: "250m", memory: "256Mi" } },
  cron: { requests: { cpu: "50m", memory: "128Mi" }, limits: { cpu: "250m", memory: "512Mi" } },
  workers: 4,
  disks: { files: "3Gi", database: "2Gi" },
  quota: { requests: { cpu: "540m", memory: "1120Mi" }, limits: { cpu: "2500m", memory: "2560Mi" }, storage: "10Gi" },
  largest: { cpu: "800m", memory: "768Mi", disk: "3Gi" },
};
const load = (change: object = {}) =>
  loadCatalog(JSON.stringify({ sizes: [{ name: "tiny", resources: { ...tiny, ...change } }] }), blueprint);

sizes("is used in containers, PHP workers, disks, quota and LimitRange", () => {
  const objects = allObjects(blueprint, createSpokeInputs(load(), without, { ...request, size: "tiny" }));
  const container = (kind: string, name: string) =>
    find(objects, kind, name)["spec"].template.spec.containers[0].resources;
  assert.equal(container("Deployment", "moodle"), tiny.app);
  assert.equal(container("Job", "install-17"), tiny.app);
  assert.equal(container("StatefulSet", "db"), tiny.database);
  assert.match(find(objects, "ConfigMap", "fpm-size")["data"]["zz-size.conf"], /= 4\n/);
  const { hard } = find(objects, "ResourceQuota", "spoke")["spec"];
  assert.equal([hard["requests.cpu"], hard["limits.memory"], hard["requests.storage"]], ["540m", "2560Mi", "10Gi"]);
  const [containers, claims] = find(objects, "LimitRange", "spoke")["spec"].limits;
  assert.equal([containers.max, claims.max], [{ cpu: "800m", memory: "768Mi" }, { storage: "3Gi" }]);
});

// Computed by hand: app + database + cron + one Job of the app's size + the two smallest Jobs; twice the disks.
sizes("is accepted if its quota is exactly sufficient, and rejected if it is smaller", () => {
  const mebi = 2 ** 20;
  const small = { requests: { cpu: 0.02 + 0.02, memory: 96 * mebi }, limits: { cpu: 0.2 + 0.2, memory: 256 * mebi } };
  for (const field of ["requests", "limits"] as const) {
    for (const resource of ["cpu", "memory"] as const) {
      const of = (each: typeof tiny.app) => parseQuantity(each[field][resource]);
      const needed = 2 * of(tiny.app) + of(tiny.database) + of(tiny.cron) + small[field][resource];
      assert.ok(needed <= parseQuantity(tiny.quota[field][resource]) + 1e-9, `${field}.${resource}: ${needed}`);
      const exact = resource === "cpu" ? `${Math.round(needed * 1000)}m` : `${needed / mebi}Mi`;
      const less = resource === "cpu" ? `${Math.round(needed * 1000) - 1}m` : `${needed / mebi - 1}Mi`;
      const quota = (amount: string) => ({
        quota: { ...tiny.quota, [field]: { ...tiny.quota[field], [resource]: amount } },
      });
      load(quota(exact));
      assert.throws(() => load(quota(less)), new RegExp(`tiny: the quota for ${field}.${resource} is ${less}`));
    }
  }
  assert.throws(
    () => load({ quota: { ...tiny.quota, storage: "10239Mi" } }),
    /the quota for requests\.storage is 10239Mi, but 10Gi/,
  );
});

sizes("is rejected if a container or disk exceeds its maximum", () => {
  assert.throws(
    () => load({ largest: { ...tiny.largest, cpu: "799m" } }),
    /the container moodle has a cpu limit of 800m/,
  );
  assert.throws(() => load({ largest: { ...tiny.largest, disk: "2Gi" } }), /a disk has 3Gi; the maximum is 2Gi/);
});

regions.run();
sizes.run();
