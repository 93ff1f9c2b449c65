/** Tests the permissions that roles and bindings grant, and the protection against privilege escalation. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { putAsAdmin, requestAsAccount, SERVICE_ACCOUNT } from "#test/support/service-account.ts";

const RBAC = "rbac.authorization.k8s.io", USER = "system:serviceaccount:wheelwright:wheelwright";
const NAMESPACE = "/api/v1/namespaces/wheelwright";

const test = suite<{ simulator: Simulator }>("authorization");
test.before.each(async (context) => {
  const simulator = context.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG, authorization: "on" });
  for (const name of ["wheelwright", "other"]) {
    await putAsAdmin(simulator, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", namespace: name } };
    await putAsAdmin(simulator, map);
    await putAsAdmin(simulator, { ...map, metadata: { name: "n", namespace: name } });
  }
  await putAsAdmin(simulator, { apiVersion: "v1", kind: "ServiceAccount", metadata: SERVICE_ACCOUNT });
});
test.after.each(({ simulator }) => simulator.close());

/** Creates a role with these rules and binds it. Creates a ClusterRole if `where` is the whole cluster. */
async function give(simulator: Simulator, where: string, rules: Json, subjects: Json = [{ kind: "User", name: USER }]) {
  const inside = where === "cluster" ? {} : { namespace: where }, cluster = where === "cluster" ? "Cluster" : "";
  const apiVersion = `${RBAC}/v1`, metadata = { name: "r", ...inside };
  await putAsAdmin(simulator, { apiVersion, kind: `${cluster}Role`, metadata, rules });
  const roleRef = { apiGroup: RBAC, kind: `${cluster}Role`, name: "r" };
  await putAsAdmin(simulator, { apiVersion, kind: `${cluster}RoleBinding`, metadata, roleRef, subjects });
}

const rule = (verbs: string[], resources: string[], more: Json = {}) => ({
  apiGroups: [""],
  resources,
  verbs,
  ...more,
});
const statusOf = async (simulator: Simulator, method: string, path: string, body?: Json): Promise<number> =>
  (await requestAsAccount(simulator, method, path, body)).status;

test("allows everything if authorization is off", async () => {
  const simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  assert.is(await statusOf(simulator, "GET", "/api/v1/secrets"), 200);
  await simulator.close();
});

test("rejects requests that no role allows, with the real server's message", async ({ simulator }) => {
  const { status, body } = await requestAsAccount(simulator, "GET", `${NAMESPACE}/configmaps/m`);
  assert.equal([status, body.reason, body.details], [403, "Forbidden", { name: "m", kind: "configmaps" }]);
  const cannot = (verb: string, where: string) =>
    `User "${USER}" cannot ${verb} resource "configmaps" in API group "" ${where}`;
  assert.is(body.message, `configmaps "m" is forbidden: ${cannot("get", 'in the namespace "wheelwright"')}`);
  const all = await requestAsAccount(simulator, "GET", "/api/v1/configmaps");
  assert.is(all.body.message, `configmaps is forbidden: ${cannot("list", "at the cluster scope")}`);
});

test("rejects the token of a deleted service account", async ({ simulator }) => {
  await fetch(`${simulator.url}${NAMESPACE}/serviceaccounts/wheelwright`, { method: "DELETE" });
  const { status, body } = await requestAsAccount(simulator, "GET", "/version");
  assert.equal([status, body.reason, body.message], [401, "Unauthorized", "Unauthorized"]);
});

test("applies a ClusterRoleBinding everywhere, and a RoleBinding in its namespace", async ({ simulator }) => {
  await give(simulator, "wheelwright", [rule(["get", "list"], ["configmaps"])]);
  const review = [
    "/api/v1/namespaces/wheelwright/configmaps",
    "/api/v1/namespaces/other/configmaps",
    "/api/v1/configmaps",
  ];
  const answers = () => Promise.all(review.map((path) => statusOf(simulator, "GET", path)));
  assert.equal(await answers(), [200, 403, 403]);
  await give(simulator, "cluster", [rule(["list"], ["configmaps"])]);
  assert.equal(await answers(), [200, 200, 200]);
});

test("supports accounts, users, groups, and a ClusterRole in a RoleBinding", async ({ simulator }) => {
  const rules = [rule(["get"], ["configmaps"])], path = `${NAMESPACE}/configmaps/m`;
  const group = (name: string) => [{ apiGroup: RBAC, kind: "Group", name }];
  for (
    const [subjects, status] of [
      [[{ kind: "ServiceAccount", ...SERVICE_ACCOUNT }], 200],
      [[{ kind: "ServiceAccount", name: "wheelwright", namespace: "other" }], 403],
      [[{ apiGroup: RBAC, kind: "User", name: USER }], 200],
      [[{ apiGroup: RBAC, kind: "User", name: "eve" }], 403],
      [group("system:serviceaccounts:wheelwright"), 200],
      [group("system:serviceaccounts:other"), 403],
      [group("system:authenticated"), 200],
    ] as [Json, number][]
  ) {
    await give(simulator, "wheelwright", rules, subjects);
    assert.is(await statusOf(simulator, "GET", path), status, JSON.stringify(subjects));
  }
});

test("checks verbs, subresources and names", async ({ simulator }) => {
  await give(simulator, "wheelwright", [
    rule(["get", "list", "watch"], ["configmaps"], { resourceNames: ["m"] }),
    rule(["create"], ["configmaps"], { resourceNames: ["new"] }),
    rule(["patch"], ["configmaps"]),
    rule(["get"], ["pods"]),
  ]);
  const maps = `${NAMESPACE}/configmaps`,
    map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const answers = async (...review: [string, string, Json?][]) =>
    await Promise.all(review.map(([method, path, body]) => statusOf(simulator, method, path, body)));
  assert.equal(
    await answers(["GET", `${maps}/m`], ["GET", `${maps}/n`], ["GET", maps], [
      "GET",
      `${maps}?fieldSelector=metadata.name=m`,
    ]),
    [200, 403, 403, 200],
  );
  assert.equal(await answers(["POST", maps, map("new")]), [403], "what is made has no name yet by which it is asked");
  assert.equal(await answers(["PATCH", `${maps}/n`, {}], ["DELETE", `${maps}/n`], ["PUT", `${maps}/n`, map("n")]), [
    200,
    403,
    403,
  ]);
  assert.equal(await answers(["GET", `${NAMESPACE}/pods/x`], ["GET", `${NAMESPACE}/pods/x/log`]), [404, 403]);
  const applied = await fetch(`${simulator.url}${maps}/late?fieldManager=a`, {
    method: "PATCH",
    headers: { "content-type": "application/apply-patch+yaml", authorization: `Bearer ${USER}` },
    body: JSON.stringify(map("late")),
  });
  assert.match(
    (await applied.json()).message,
    "cannot create resource",
    "an apply that makes its object is a creation",
  );
});

test("answers access reviews and self subject reviews", async ({ simulator }) => {
  await give(simulator, "wheelwright", [rule(["get"], ["pods/log"])]);
  const allowed = async (attributes: Json) => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: attributes },
    };
    return (await requestAsAccount(simulator, "POST", path, body)).body.status.allowed;
  };
  const log = { verb: "get", resource: "pods", subresource: "log" };
  assert.equal([await allowed({ ...log, namespace: "wheelwright" }), await allowed(log)], [true, false]);
  const who = await requestAsAccount(simulator, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
  assert.equal(who.body.status.userInfo, {
    username: USER,
    groups: ["system:serviceaccounts", "system:serviceaccounts:wheelwright", "system:authenticated"],
  });
});

test("prevents privilege escalation, except with the verbs escalate and bind", async ({ simulator }) => {
  const roles = `/apis/${RBAC}/v1/namespaces/wheelwright/roles`,
    bindings = `/apis/${RBAC}/v1/namespaces/wheelwright/rolebindings`;
  const writes = { apiGroups: [RBAC], resources: ["roles", "rolebindings"], verbs: ["create"] };
  const make = async (name: string, verbs: string[]) => {
    const { status, body } = await requestAsAccount(simulator, "POST", roles, {
      metadata: { name },
      rules: [rule(verbs, ["secrets"])],
    });
    return [status, body.message ?? ""];
  };
  const bind = async (kind: string, name: string) =>
    await statusOf(simulator, "POST", bindings, {
      metadata: { generateName: "b-" },
      roleRef: { apiGroup: RBAC, kind, name },
      subjects: [{ apiGroup: RBAC, kind: "User", name: "eve" }],
    });
  await give(simulator, "wheelwright", [writes, rule(["get"], ["secrets"])]);
  assert.is((await make("mine", ["get"]))[0], 201);
  assert.equal(await make("more", ["get", "list", "delete"]), [
    403,
    `roles.${RBAC} "more" is forbidden: user "${USER}" (groups=["system:serviceaccounts" ` +
    '"system:serviceaccounts:wheelwright" "system:authenticated"]) is attempting to grant RBAC permissions not currently ' +
    'held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["list" "delete"]}',
  ]);
  const all = { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata: { name: "all" }, rules: [rule(["*"], ["*"])] };
  await putAsAdmin(simulator, all);
  assert.equal([await bind("Role", "mine"), await bind("ClusterRole", "all"), await bind("Role", "none")], [
    201,
    403,
    404,
  ]);
  const may = (verb: string, resources: string[], resourceNames: string[]) =>
    give(simulator, "wheelwright", [writes, { apiGroups: [RBAC], resources, verbs: [verb], resourceNames }]);
  await may("bind", ["clusterroles"], ["all"]);
  assert.equal([await bind("ClusterRole", "all"), await bind("Role", "mine")], [201, 403]);
});

test("reports the missing role of a binding", async ({ simulator }) => {
  await give(simulator, "cluster", []);
  await fetch(`${simulator.url}/apis/${RBAC}/v1/clusterroles/r`, { method: "DELETE" });
  const { body } = await requestAsAccount(simulator, "GET", "/api/v1/pods");
  assert.match(body.message, /at the cluster scope: RBAC: clusterrole\.rbac\.authorization\.k8s\.io "r" not found$/);
});

test.run();
