/** The roles that are shipped: they give what the program uses, where it uses it, and nothing else. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseAllDocuments } from "yaml";
import { renderClusterRoles } from "#lib/doctor/cluster-role.ts";
import { isClusterWide, PERMISSIONS, permissionsFor } from "#lib/doctor/permissions.ts";
import { namePermission, neededFor } from "#test/lib/doctor/asked.ts";
import type { Asked } from "#test/lib/doctor/between.ts";
import { liveThrough } from "#test/lib/doctor/life.ts";

const WIDE = "wheelwright", SPOKE = "wheelwright-spoke";
const BIND = "bind clusterroles.rbac.authorization.k8s.io";

interface Scene {
  // deno-lint-ignore no-explicit-any
  documents: any[];
  wide: string[];
  spoke: string[];
  asked: readonly Asked[];
}

const test = suite<Scene>("deploy/cluster-role.yaml");

test.before(async (scene) => {
  const text = await readFile(new URL("../../deploy/cluster-role.yaml", import.meta.url), "utf8");
  scene.documents = parseAllDocuments(text).map((document) => document.toJS());
  [scene.wide, scene.spoke] = [WIDE, SPOKE].map((name) => granted(scene, name)) as [string[], string[]];
  scene.asked = await liveThrough({ CLUSTER_ROLE: SPOKE });
});

interface Rule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
  readonly resourceNames?: string[];
}

function rulesOf({ documents }: Pick<Scene, "documents">, name: string): Rule[] {
  return documents.find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === name).rules;
}

function granted(scene: Pick<Scene, "documents">, name: string): string[] {
  return rulesOf(scene, name).flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => namePermission({ verb, group, resource })))
    )
  );
}

/** What would be refused, in the order it was asked. A binding holds from its creation until its namespace is deleted. */
function refusals(asked: readonly Asked[], wide: readonly string[], spoke: readonly string[]): string[] {
  const bound = new Set<string>();
  return asked.flatMap((each) => {
    const { namespace, permissions } = neededFor(each);
    const inside = namespace !== null && bound.has(namespace);
    const refused = permissions.filter((one) => !wide.includes(one) && !(inside && spoke.includes(one)));
    if (permissions.includes("create rolebindings.rbac.authorization.k8s.io")) bound.add(namespace!);
    if (permissions.includes("delete namespaces")) bound.delete(each.path.split("/").at(-1)!);
    return refused.map((one) => `${one} in ${namespace}`);
  });
}

test("gives what is used and nothing else, each permission once and in one of the roles.", ({ wide, spoke }) => {
  const sorted = (list: readonly string[]) => [...list].sort();
  assert.equal(sorted(wide), sorted([...permissionsFor(SPOKE).map(namePermission), BIND]));
  assert.equal(sorted(spoke), sorted(PERMISSIONS.filter((each) => !isClusterWide(each)).map(namePermission)));
});

test("is what doctor --rbac prints, permission by permission.", (scene) => {
  const documents = parseAllDocuments(renderClusterRoles()).map((document) => document.toJS());
  for (const name of [WIDE, SPOKE]) {
    assert.equal(granted({ documents }, name).sort(), granted(scene, name).sort());
    const bound = rulesOf({ documents }, name).flatMap(({ resourceNames }) => resourceNames ?? []);
    assert.equal(bound, name === WIDE ? [SPOKE] : []);
  }
});

test("gives no right to Secrets or logs outside the namespaces that were made.", ({ wide }) => {
  assert.equal(wide.filter((each) => / secrets$| pods\/log$|\*/.test(each)), []);
});

test("binds no role but the one for spokes' namespaces.", (scene) => {
  const rules = rulesOf(scene, WIDE).filter(({ verbs }) => verbs.includes("bind"));
  assert.equal(rules.map(({ resources, resourceNames }) => [resources, resourceNames]), [[["clusterroles"], [SPOKE]]]);
});

test("is enough for an installation, backups, a resize, a reapply, a look and a removal.", ({ asked, wide, spoke }) => {
  assert.ok(asked.some(({ method, path }) => method === "DELETE" && /^\/api\/v1\/namespaces\/[^/]+$/.test(path)));
  assert.equal([...new Set(refusals(asked, wide, spoke))], []);
});

test("is not enough without any of what cannot be done without.", ({ asked, wide, spoke }) => {
  const certain = permissionsFor(SPOKE).concat(PERMISSIONS).filter(({ without }) => without === null);
  for (const name of new Set(certain.map(namePermission))) {
    const [less, lesser] = [wide, spoke].map((list) => list.filter((each) => each !== name));
    assert.ok(refusals(asked, less!, lesser!).length > 0, name);
  }
});

test("lets the account into its own namespaces alone, by policies for the account that it binds.", ({ documents }) => {
  const [binding] = documents.filter(({ kind }) => kind === "ClusterRoleBinding");
  const [{ namespace, name }] = binding.subjects;
  const policies = documents.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
  assert.is(policies.length, 2);
  for (const { metadata, spec } of policies) {
    assert.is(spec.failurePolicy, "Fail");
    assert.equal(spec.matchConditions.map(({ expression }: { expression: string }) => expression), [
      `request.userInfo.username == "system:serviceaccount:${namespace}:${name}"`,
    ]);
    assert.match(spec.validations[0].expression, /labels\["app\.kubernetes\.io\/managed-by"\] == "wheelwright"/);
    const enforced = documents.filter(({ kind, spec }) =>
      kind === "ValidatingAdmissionPolicyBinding" && spec.policyName === metadata.name
    );
    assert.equal(enforced.map(({ spec }) => spec.validationActions), [["Deny"]]);
  }
  const limited = policies.flatMap(({ spec }) => spec.matchConstraints.resourceRules);
  assert.equal(limited.map(({ resources, operations }) => [resources, operations]), [
    [["namespaces"], ["CREATE", "UPDATE", "DELETE"]],
    [["rolebindings"], ["CREATE"]],
  ]);
});

test.run();
