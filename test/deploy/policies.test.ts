/** Tests the shipped admission policies in a simulated cluster: which requests they deny with the account's own token.
 * cluster-role.test.ts and all tests of work on spokes cover what the program itself does with these rights. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ATTACKS, type ClusterRequest, LABELS, NEEDS, SPACES } from "./attacks.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { readObjects } from "#test/support/chart.ts";
import {
  applyClusterRole,
  bindClusterRole,
  CLUSTER_ROLE,
  CLUSTER_ROLE_MANIFEST,
  putAsAdmin,
  requestAsAccount,
  SERVICE_ACCOUNT,
} from "#test/support/service-account.ts";
import { RELEASE } from "#test/support/release.ts";

const OWN = `spoke-${RELEASE}-own`;

const test = suite<{ simulator: Simulator; policies: Json[] }>("admission policies");

test.before(async (context) => {
  const simulator = context.simulator = await openSimulator({ delayMs: 5, log: SILENT_LOG, authorization: "on" });
  await applyClusterRole(simulator);
  for (const object of SPACES) await putAsAdmin(simulator, object);
  await bindClusterRole(simulator, OWN);
  const objects = readObjects(await readFile(CLUSTER_ROLE_MANIFEST, "utf8"));
  context.policies = objects.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
});
test.after(({ simulator }) => simulator.close());

/** Sends the request as a dry run, so that no request affects another. */
async function attempt(simulator: Simulator, { method, path, body }: ClusterRequest): Promise<[number, string]> {
  const answer = await requestAsAccount(simulator, method, `${path}?dryRun=All`, body);
  return [answer.status, answer.body.message ?? ""];
}

for (const [policy, attacks] of Object.entries(ATTACKS)) {
  for (const [what, request] of Object.entries(attacks)) {
    test(`${policy}: the account cannot ${what}`, async ({ simulator }) => {
      const [status, message] = await attempt(simulator, request);
      assert.is(status, 403, message);
      assert.match(
        message,
        `ValidatingAdmissionPolicy 'wheelwright-${policy}' with binding 'wheelwright-${policy}' denied`,
      );
    });
  }
}

for (const [what, request] of Object.entries(NEEDS)) {
  test(`the account can ${what}`, async ({ simulator }) => {
    const [status, message] = await attempt(simulator, request);
    assert.ok(status === 200 || status === 201, message);
  });
}

test("each validation keeps the account from something that no other one does", async ({ simulator, policies }) => {
  for (const { apiVersion, kind, metadata, spec } of policies) {
    const attacks: [string, ClusterRequest][] = Object.entries(
      ATTACKS[metadata.name.replace("wheelwright-", "")] ?? {},
    );
    for (const validation of spec.validations) {
      const others = spec.validations.map((each: Json) => each === validation ? { ...each, expression: "true" } : each);
      await putAsAdmin(simulator, { apiVersion, kind, metadata, spec: { ...spec, validations: others } });
      const accepted: string[] = [];
      for (const [what, request] of attacks) {
        const [status] = await attempt(simulator, request);
        if (status < 300) accepted.push(what);
      }
      await putAsAdmin(simulator, { apiVersion, kind, metadata, spec });
      assert.ok(accepted.length > 0, `${metadata.name} without "${validation.message}" lets nothing more through`);
    }
  }
});

test("each policy applies to the account alone, denies with 403, and is in force", async ({ simulator, policies }) => {
  const bindings = simulator.objects("ValidatingAdmissionPolicyBinding");
  for (const { metadata, spec } of policies) {
    assert.is(spec.failurePolicy, "Fail");
    assert.equal([...new Set(spec.validations.map(({ reason }: Json) => reason))], ["Forbidden"], metadata.name);
    const binding: Json = bindings.find((each) => each["spec"].policyName === metadata.name);
    assert.equal(binding.spec.validationActions, ["Deny"]);
  }
  assert.equal(Object.keys(ATTACKS).map((name) => `wheelwright-${name}`).sort(), policies.map(nameOf).sort());
  assert.is(
    (await putAsAdmin(simulator, { apiVersion: "v1", kind: "Namespace", metadata: { name: "hers" } })).kind,
    "Namespace",
  );
});

test("the account can touch no issuer but the one that ACME_EMAIL creates", async ({ simulator }) => {
  const spec = { selfSigned: {} }, metadata = { name: "own" }, path = "/apis/cert-manager.io/v1/clusterissuers";
  await putAsAdmin(simulator, { apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer", metadata, spec });
  const calls: [string, string, Json][] = [
    ["PATCH", `${path}/own`, { spec: { selfSigned: null, ca: { secretName: "root" } } }],
    ["DELETE", `${path}/own`, undefined],
    ["POST", path, { metadata: { name: "wheelwright-new" }, spec }],
  ];
  for (const [method, path, body] of calls) {
    const answer = await requestAsAccount(simulator, method, path, body);
    assert.is(answer.status, 403);
    assert.match(answer.body.message, 'resource "clusterissuers"');
  }
});

test("the account cannot get from a namespace of its own to the node", async ({ simulator }) => {
  const pods = `/api/v1/namespaces/${OWN}/pods`;
  const spec = {
    containers: [{
      name: "a",
      image: "a",
      securityContext: { privileged: true },
      volumeMounts: [{ name: "h", mountPath: "/h" }],
    }],
    volumes: [{ name: "h", hostPath: { path: "/" } }],
  };
  const escape = () => requestAsAccount(simulator, "POST", pods, { metadata: { name: "escape" }, spec });
  const { status, body } = await escape();
  assert.is(status, 403);
  assert.match(body.message, 'violates PodSecurity "restricted:latest"');
  // The policy protects the labels that admit a request.
  for (const enforce of ["privileged", "baseline", null]) {
    const labels = { "pod-security.kubernetes.io/enforce": enforce };
    const relabelled = await requestAsAccount(simulator, "PATCH", `/api/v1/namespaces/${OWN}`, {
      metadata: { labels },
    });
    assert.is(relabelled.status, 403);
  }
  assert.is((await escape()).status, 403);
});

test("the account cannot make a namespace of another one into its own", async ({ simulator }) => {
  const RBAC = "rbac.authorization.k8s.io",
    user = `system:serviceaccount:${SERVICE_ACCOUNT.namespace}:${SERVICE_ACCOUNT.name}`;
  const calls: [string, string, Json][] = [
    ["POST", "/api/v1/namespaces", { metadata: { name: "mine", labels: LABELS } }],
    ["PATCH", "/api/v1/namespaces/kube-public", { metadata: { labels: LABELS } }],
    ["POST", `/apis/${RBAC}/v1/namespaces/kube-public/rolebindings`, {
      metadata: { name: "mine" },
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: CLUSTER_ROLE },
      subjects: [{ apiGroup: RBAC, kind: "User", name: user }],
    }],
    ["GET", "/api/v1/namespaces/kube-public/secrets", undefined],
  ];
  for (const [method, path, body] of calls) {
    assert.is((await requestAsAccount(simulator, method, path, body)).status, 403, path);
  }
});

function nameOf({ metadata }: Json): string {
  return metadata.name;
}

test.run();
