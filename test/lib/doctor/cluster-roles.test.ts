/** Tests doctor with the chart's roles, in a simulated cluster that enforces them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Finding } from "#lib/doctor/finding.ts";
import { applyClusterRole, CLUSTER_ROLE } from "#test/support/service-account.ts";
import { openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene; KUBECONFIG: string }>("doctor with the shipped roles");

test.before.each(async (context) => {
  const scene = context.scene = await openScene({ authorization: "on" });
  context.KUBECONFIG = await scene.write("account", await applyClusterRole(scene.simulator));
});
test.after.each(({ scene }) => scene.close());

const problems = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== "ok").map(({ check, level, message, hint }) => ({
    check,
    level,
    message,
    hint,
  }));

test("finds no missing permission with CLUSTER_ROLE, including the trial", async ({ scene, KUBECONFIG }) => {
  const env = { KUBECONFIG, CLUSTER_ROLE, ACME_EMAIL: "ops@example.org" };
  assert.equal(problems(await scene.cluster({ trial: true, env })), []);
});

test("reports a missing CLUSTER_ROLE once, and creates nothing in the cluster", async ({ scene, KUBECONFIG }) => {
  const env = { KUBECONFIG, ACME_EMAIL: "ops@example.org" };
  assert.equal(problems(await scene.cluster({ trial: true, env })), [
    {
      check: "permissions",
      level: "failing",
      message: "CLUSTER_ROLE is not set, but the account must bind this role in a namespace to get permissions there",
      hint: "Set CLUSTER_ROLE to wheelwright-spoke, the role in deploy/kubernetes/cluster-role.yaml.",
    },
    {
      check: "trial",
      level: "warning",
      message: "pod security, quotas, images and network were not tested: the account lacks the permissions",
      hint: undefined,
    },
  ]);
  assert.equal(scene.simulator.history().filter(({ name }) => name.startsWith("wheelwright-doctor-")), []);
});

test("names the roles if a cluster-wide permission is missing", async ({ scene, KUBECONFIG }) => {
  scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "namespaces" });
  const [{ message, hint }] = problems(
    await scene.cluster({ env: { KUBECONFIG, ACME_EMAIL: "ops@example.org" } }),
  ) as [
    Finding,
  ];
  assert.match(message, /^missing: create namespaces; /);
  assert.match(hint!, "Bind the roles in deploy/kubernetes/cluster-role.yaml");
});

test("names the issuer that the account cannot create", async ({ scene, KUBECONFIG }) => {
  const env = { KUBECONFIG, CLUSTER_ROLE, ACME_EMAIL: "ops@example.org", RELEASE_ID: "north" };
  const [{ message }] = problems(await scene.cluster({ env })) as [Finding];
  assert.is(message, "missing: create and patch clusterissuers.cert-manager.io wheelwright-north-nginx");
});

test.run();
