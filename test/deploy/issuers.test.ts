/** Tests the permissions for ClusterIssuers that the chart grants for the issuers the program creates. Skipped without
 * Helm. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listCreatedClusterIssuerNames } from "#lib/catalog/inputs.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { blueprint } from "#src/blueprints.ts";
import { renderObjects, REQUIRED_CHART_VALUES } from "#test/support/chart.ts";
import { helm } from "#test/support/tools.ts";

const test = suite("issuers of the chart");
const rendered = helm === null ? test.skip : test;

const ACME = { ACME_EMAIL: "ops@example.org" };
const around = (text: string) => ({ "surroundings.yaml": `${text}\n` });
const of = (objects: readonly Json[], kind: string, name: string): Json =>
  objects.find((each) => each.kind === kind && each.metadata.name === name);

const ISSUERS: readonly (readonly [what: string, values: object, names: readonly string[]])[] = [
  ["without ACME_EMAIL", {}, []],
  ["with ACME_EMAIL", { config: ACME }, ["wheelwright-wheelwright-nginx"]],
  ["of another ingress class", { config: ACME, blueprint: around("ingressClass: traefik") }, [
    "wheelwright-wheelwright-traefik",
  ]],
  ["where an issuer is named", { config: ACME, blueprint: around("issuer: letsencrypt") }, []],
  ["where TLS ends elsewhere", { config: ACME, blueprint: around("tls: elsewhere") }, []],
  ["of two regions", {
    config: ACME,
    catalog: "regions:\n- { name: a, title: A, cluster: { ingressClass: traefik } }\n- { name: b, title: B }\n",
  }, ["wheelwright-wheelwright-nginx", "wheelwright-wheelwright-traefik"]],
  ["of a region that names one", {
    config: ACME,
    blueprint: around("ingressClass: traefik"),
    catalog: "regions:\n- { name: a, title: A, cluster: { issuer: own } }\n",
  }, ["wheelwright-wheelwright-traefik"]],
];
for (const [what, values, names] of ISSUERS) {
  rendered(`gives the right to the issuer that the program creates ${what}, and to no other`, () => {
    const objects = renderObjects({ ...REQUIRED_CHART_VALUES, ...values });
    const rules = of(objects, "ClusterRole", "wheelwright").rules.filter(({ resources, verbs }: Json) =>
      resources.includes("clusterissuers") && verbs.includes("patch")
    );
    assert.equal(rules.flatMap(({ resourceNames }: Json) => resourceNames), names);
    const policy = of(objects, "ValidatingAdmissionPolicy", "wheelwright-issuers");
    assert.is(policy !== undefined, names.length > 0);
  });
}

rendered("knows the surroundings of the built-in blueprint", async () => {
  const { surroundings } = await loadBlueprint(blueprint);
  assert.equal([surroundings.tls, surroundings.ingressClass, surroundings.issuer], ["acme", "nginx", undefined]);
  const policy = of(
    renderObjects({ ...REQUIRED_CHART_VALUES, config: ACME }),
    "ValidatingAdmissionPolicy",
    "wheelwright-issuers",
  );
  assert.match(JSON.stringify(policy.spec.validations), surroundings.acmeServer);
});

rendered("agrees with the program on their names", async () => {
  const text = "regions:\n- { name: a, title: A, cluster: { ingressClass: traefik } }\n- { name: b, title: B }\n";
  const catalog = loadCatalog(text, await loadBlueprint(blueprint));
  const rules =
    of(renderObjects({ ...REQUIRED_CHART_VALUES, config: ACME, catalog: text }), "ClusterRole", "wheelwright").rules;
  const { resourceNames } = rules.find(({ resources, resourceNames }: Json) =>
    resources.includes("clusterissuers") && resourceNames
  );
  assert.equal(
    resourceNames,
    listCreatedClusterIssuerNames(catalog, { acmeEmail: ACME.ACME_EMAIL, releaseId: "wheelwright" }).sort(),
  );
});

test.run();
