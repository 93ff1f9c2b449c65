import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { SPOKE_INSTALL_STEPS } from "#lib/moodle/blueprint-files.ts";
import { buildSandboxInputs, isolateSandbox } from "#lib/moodle/sandbox.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { RELEASE } from "#test/support/release.ts";

const test = suite("a sandbox's objects");
const blueprint = openBlueprint(), spoke = inputsOf(blueprint);
const ID = "op_01jabcdefghijkmnpqrstvwxyz";
const inputs = buildSandboxInputs(spoke, { id: ID, madeAfter: spoke.spokeId }, RELEASE);

interface Rule {
  readonly ports: readonly { readonly port: number }[];
}

test("have a separate namespace and the spoke's host, size and version, but no spoke label", () => {
  assert.match(inputs.namespace, new RegExp(`^sandbox-${RELEASE}-biology-[a-z0-9]{12}$`));
  assert.equal([inputs.host, inputs.version, inputs.resources], [spoke.host, spoke.version, spoke.resources]);
  const objects = SPOKE_INSTALL_STEPS.flatMap((step) => blueprint.spokeObjects(inputs, step));
  const jobs = [blueprint.jobObject(inputs, "verify", "7"), ...blueprint.newSecrets(inputs)];
  for (const { metadata: { labels } } of [...objects, ...jobs]) {
    assert.equal([labels?.["wheelwright.dev/sandbox"], labels?.["wheelwright.dev/made-after"]], [ID, spoke.spokeId]);
    assert.not.ok("wheelwright.dev/spoke" in labels! || "wheelwright.dev/federation" in labels!);
  }
});

test("allow only traffic within the namespace, and DNS", () => {
  const policies = blueprint.spokeObjects(inputs, "policies").filter(({ kind }) => kind === "NetworkPolicy");
  const names = (rules: readonly Rule[] = []) =>
    rules.length > 0 && rules.every(({ ports }) => ports.every(({ port }) => port === 53));
  for (const { metadata, spec } of policies as KubeObject[]) {
    for (const rule of [...(spec.ingress ?? []), ...(names(spec.egress) ? [] : spec.egress ?? [])]) {
      const peers: readonly object[] = rule.from ?? rule.to ?? [];
      assert.ok(peers.length > 0 && peers.every((peer) => Object.keys(peer).join() === "podSelector"), metadata.name);
    }
  }
  const left = policies.filter(({ spec }) => (spec.ingress ?? []).length + (spec.egress ?? []).length > 0);
  assert.equal(left.map(({ metadata: { name } }) => name).sort(), [
    ...["allow-app-to-db", "allow-dns", "db-from-app", "probe-egress", "setup-egress", "web-from-probe"],
  ]);
  assert.is(
    policies.length,
    blueprint.spokeObjects(spoke, "policies").filter(({ kind }) => kind === "NetworkPolicy").length,
  );
});

test("drop rules of a custom blueprint that allow all traffic", () => {
  const rules = [{}, { from: [] }, { from: [{ ipBlock: { cidr: "0.0.0.0/0" } }] }, { ports: [{ port: 8080 }] }];
  const both = [{ from: [{ podSelector: {}, namespaceSelector: {} }, { podSelector: { matchLabels: { a: "b" } } }] }];
  const policy = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "own" } };
  const shut = isolateSandbox(
    { ...policy, spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [...rules, ...both] } },
    inputs,
  );
  assert.equal(shut["spec"], {
    podSelector: {},
    policyTypes: ["Ingress"],
    ingress: [{ from: [{ podSelector: { matchLabels: { a: "b" } } }] }],
  });
});

test("send no mail, and have no certificate and no former host", () => {
  const busy = { ...spoke, formerHosts: [{ host: "old.example.org", certificate: "old" }], certificate: "own" };
  const made = buildSandboxInputs(busy, { id: ID, madeAfter: null }, RELEASE);
  assert.equal([made.formerHosts, made.certificate, made.issuer, made.mail], [undefined, undefined, null, null]);
  const settings = blueprint.spokeObjects(made, "secrets").find(({ metadata: { name } }) => name === "moodle-env")!;
  assert.equal([settings["data"].SMTP_HOST, settings["data"].SITE_URL], ["localhost", `https://${spoke.host}`]);
});

test.run();
