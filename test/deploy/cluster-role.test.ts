/** Tests the shipped RBAC rules: they allow what the program does, where it does it, and nothing else. The simulated
 * cluster enforces them here and in all tests of work on spokes. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { renderClusterRoles } from "#lib/doctor/cluster-role.ts";
import { isClusterWidePermission, KUBERNETES_PERMISSIONS, listRequiredPermissions } from "#lib/doctor/permissions.ts";
import type { ClusterPermission } from "#lib/drivers/cluster/cluster.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { runAllOperations } from "#test/lib/doctor/run-operations.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { backUp, deleteDuePvcs, listPvcs, runRestore, usedPvcs } from "#test/lib/recovery/restore/scene.ts";
import { readObjects } from "#test/support/chart.ts";
import { RELEASE } from "#test/support/release.ts";
import { CLUSTER_ROLE as SPOKE, CLUSTER_ROLE_MANIFEST, putAsAdmin } from "#test/support/service-account.ts";

const WIDE = "wheelwright",
  ISSUER = `wheelwright-${RELEASE}-nginx`,
  BIND = "bind clusterroles.rbac.authorization.k8s.io";

const test = suite<{ objects: Json[] }>("deploy/kubernetes/cluster-role.yaml");
test.before(async (context) => void (context.objects = readObjects(await readFile(CLUSTER_ROLE_MANIFEST, "utf8"))));

function rulesOf(objects: readonly Json[], name: string): Json[] {
  return objects.find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === name).rules;
}

function granted(objects: readonly Json[], name: string): string[] {
  return rulesOf(objects, name).flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group: string) =>
      resources.flatMap((resource: string) => verbs.map((verb: string) => nameOf({ verb, group, resource })))
    )
  );
}

function nameOf({ verb, group, resource }: ClusterPermission): string {
  const [plural, subresource] = resource.split("/");
  return `${verb} ${plural}${group && `.${group}`}${subresource ? `/${subresource}` : ""}`;
}

const sorted = (names: Iterable<string>) => [...names].sort();

test("gives what doctor asks for and nothing else, each permission once and in one of the roles", ({ objects }) => {
  assert.equal(sorted(granted(objects, WIDE)), sorted([...listRequiredPermissions(SPOKE, [ISSUER]).map(nameOf), BIND]));
  assert.equal(
    sorted(granted(objects, SPOKE)),
    sorted(KUBERNETES_PERMISSIONS.filter((each) => !isClusterWidePermission(each)).map(nameOf)),
  );
});

test("is what doctor --rbac prints, permission by permission", ({ objects }) => {
  const printed = readObjects(renderClusterRoles([ISSUER]));
  for (const name of [WIDE, SPOKE]) {
    assert.equal(sorted(granted(printed, name)), sorted(granted(objects, name)));
    const bound = rulesOf(printed, name).flatMap(({ resourceNames }) => resourceNames ?? []);
    assert.equal(bound, name === WIDE ? [ISSUER, SPOKE] : []);
  }
});

test("lists in the whole cluster what docs/kubernetes.md says, and nothing else", async ({ objects }) => {
  const text = await readFile(new URL("../../docs/kubernetes.md", import.meta.url), "utf8");
  const [, section = ""] = text.split("## What the account can list\n");
  const rows = section.split("\n").filter((line) => /^\|`.* \| /.test(line));
  const kinds = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)].map(([, kind]) => kind!));
  const listed = granted(objects, WIDE).filter((each) => /^(list|watch) /.test(each)).map((each) =>
    each.split(" ")[1]!
  );
  assert.equal(sorted(kinds), sorted(new Set(listed)));
  const others = granted(objects, SPOKE).map((each) => each.split(" ")[1]!);
  for (const kind of ["secrets", "events", "pods/log"]) {
    assert.ok(others.includes(kind) && !granted(objects, WIDE).some((each) => each.endsWith(` ${kind}`)), kind);
  }
});

test("gives no right to Secrets or logs outside the namespaces that were made", ({ objects }) => {
  assert.equal(granted(objects, WIDE).filter((each) => / secrets$| pods\/log$|\*/.test(each)), []);
});

test("is enough for a life of spokes, well and badly, and for doctor; and each of its permissions is used there", async ({ objects }) => {
  const used = await runAllOperations();
  const given = [WIDE, SPOKE].flatMap((role) => granted(objects, role).map((permission) => `${role}: ${permission}`));
  const own = [...used].filter((each) => !each.startsWith("system:"));
  // The permission to bind is checked only together with the binding.
  assert.equal(sorted(own), sorted(given.filter((each) => each !== `${WIDE}: ${BIND}`)));
});

/** Removes a permission from the role. Returns a function that restores it. */
async function takeAway({ simulator }: WorkScene, role: string, permission: string): Promise<() => Promise<void>> {
  const standing = simulator.objects("ClusterRole").find(({ metadata }) => metadata.name === role)!;
  const { apiVersion, kind, metadata: { name }, rules } = standing as Json;
  const less = rules.flatMap(({ apiGroups: [group], resources, verbs, ...rule }: Json) =>
    resources.flatMap((resource: string) => {
      const left = verbs.filter((verb: string) => nameOf({ verb, group, resource }) !== permission);
      return left.length > 0 ? [{ ...rule, apiGroups: [group], resources: [resource], verbs: left }] : [];
    })
  );
  const put = async (rules: Json) => void await putAsAdmin(simulator, { apiVersion, kind, metadata: { name }, rules });
  await put(less);
  return () => put(rules);
}

test("needs each of its rules: without one, an operation reports the missing permission", async () => {
  const scene = await openWorkScene();
  try {
    await scene.replica();
    const hub = await scene.hub("math");
    await scene.hubBecomes(hub.id, "active");
    const without: [role: string, permission: string, told: RegExp][] = [
      [WIDE, "create namespaces", /cannot create resource "namespaces" in API group "" /],
      [WIDE, "create rolebindings.rbac.authorization.k8s.io", /cannot create resource "rolebindings"/],
      [WIDE, BIND, /is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:/],
      [SPOKE, "create secrets", /cannot create resource "secrets" in API group "" in the namespace "spoke-/],
      [SPOKE, "create statefulsets.apps", /cannot create resource "statefulsets" in API group "apps"/],
      [SPOKE, "create jobs.batch", /cannot create resource "jobs" in API group "batch"/],
    ];
    for (const [at, [role, permission, told]] of without.entries()) {
      const giveBack = await takeAway(scene, role, permission);
      const { stateReason } = await scene.becomes(await scene.spoke(hub, `spoke-${at}`), "active", "failed");
      assert.match(stateReason ?? "", told, `${permission}: ${stateReason}`);
      await giveBack();
    }
    await scene.becomes(await scene.spoke(hub, "whole"), "active");
  } finally {
    await scene.close();
  }
});

test("is not enough for a restore without any one that only restores need", async () => {
  const scene = await openWorkScene();
  try {
    await scene.replica();
    const id = await scene.spoke(await scene.hub("math"), "algebra");
    await scene.becomes(id, "active");
    await backUp(scene, id);
    const without: [role: string, permission: string, told: RegExp][] = [
      [
        WIDE,
        "create volumesnapshotcontents.snapshot.storage.k8s.io",
        /cannot create resource "volumesnapshotcontents"/,
      ],
      [
        WIDE,
        "delete volumesnapshotcontents.snapshot.storage.k8s.io",
        /cannot delete resource "volumesnapshotcontents"/,
      ],
      [SPOKE, "delete statefulsets.apps", /cannot delete resource "statefulsets" in API group "apps" in the namespace/],
    ];
    for (const [role, permission, told] of without) {
      const giveBack = await takeAway(scene, role, permission);
      const { state, failure } = await runRestore(scene, id);
      assert.is(state, "failed", permission);
      assert.match(failure!.message, told);
      await giveBack();
    }
    assert.is((await runRestore(scene, id)).state, "succeeded");
    await backUp(scene, id); // replaced volumes are deleted only after the next backup
    await scene.db.sql("update retained_pvcs set until = now()");
    const giveBack = await takeAway(scene, SPOKE, "delete persistentvolumeclaims");
    await deleteDuePvcs(scene);
    const row = await scene.row(id);
    assert.ok(listPvcs(scene, row).length > usedPvcs(row).length);
    await giveBack();
    await deleteDuePvcs(scene);
    assert.equal(listPvcs(scene, row), usedPvcs(row));
  } finally {
    await scene.close();
  }
});

test.run();
