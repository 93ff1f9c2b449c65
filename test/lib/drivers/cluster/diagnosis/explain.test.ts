import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { explainClusterError } from "#lib/drivers/cluster/diagnosis/explain.ts";
import { createErrorFromResponse } from "#lib/drivers/cluster/client/status.ts";

const test = suite("explainClusterError");

const answered = (
  status: number,
  reason: string,
  message: string,
  doing = "PATCH cluster/api/v1/namespaces/n/services/db",
) =>
  explainClusterError(
    createErrorFromResponse(
      { status, headers: {}, body: JSON.stringify({ kind: "Status", message, reason, code: status }) },
      doing,
    ),
  );

/** Responses of the API server, and the start of the explanation. */
const ANSWERS:
  readonly (readonly [status: number, reason: string, says: string, code: string, blame: string, begins: string])[] = [
    [
      403,
      "Forbidden",
      'persistentvolumeclaims "files" is forbidden: exceeded quota: spoke, requested: requests.storage=10Gi, used: requests.storage=5Gi, limited: requests.storage=12Gi',
      "ExceededQuota",
      "operator",
      "Cannot write the PersistentVolumeClaim files because the quota spoke has too little requests.storage left: ",
    ],
    [
      403,
      "Forbidden",
      'namespaces is forbidden: User "system:serviceaccount:ww:wheelwright" cannot create resource "namespaces" in API group "" at the cluster scope',
      "Forbidden",
      "operator",
      "Cannot write the service db because the account system:serviceaccount:ww:wheelwright may not create namespaces: ",
    ],
    [
      403,
      "Forbidden",
      'namespaces "spoke-1" is forbidden: User "ww" cannot delete resource "namespaces" in API group "" at the cluster scope',
      "Forbidden",
      "operator",
      "Cannot delete the namespace spoke-1 because the account ww may not delete namespaces: ",
    ],
    [
      403,
      "Forbidden",
      'pods is forbidden: User "ww" cannot list resource "pods" in API group "" in the namespace "spoke-1"',
      "Forbidden",
      "operator",
      "Cannot read the service db because the account ww may not list pods: ",
    ],
    [
      400,
      "",
      'admission webhook "gate.example.org" denied the request: no',
      "WebhookDenied",
      "operator",
      "Cannot write the service db because the cluster's admission webhook gate.example.org denies the request: ",
    ],
    [
      422,
      "Invalid",
      "deployments.apps \"moodle\" is forbidden: ValidatingAdmissionPolicy 'replicas' with binding 'all' denied request: failed expression: x",
      "PolicyDenied",
      "operator",
      "Cannot write the deployment moodle because the cluster's admission policy replicas denies the request: ",
    ],
    [
      500,
      "InternalError",
      'Internal error occurred: failed calling webhook "gate.example.org": failed to call webhook: Post "https://gate.x.svc:443/": context deadline exceeded',
      "WebhookUnreachable",
      "operator",
      "Cannot write the service db because the cluster's admission webhook gate.example.org does not respond: ",
    ],
    [
      422,
      "Invalid",
      'Job.batch "install-5" is invalid: spec.template: Invalid value: …: field is immutable',
      "Invalid",
      "operator",
      "The cluster rejected the job install-5 as invalid: ",
    ],
    [
      401,
      "Unauthorized",
      "Unauthorized",
      "Unauthorized",
      "operator",
      "The cluster does not accept Wheelwright's credentials. It responded: ",
    ],
    [
      404,
      "NotFound",
      'namespaces "spoke-1" not found',
      "NotFound",
      "operator",
      "The namespace no longer exists in the cluster: ",
    ],
    [
      500,
      "InternalError",
      "Internal error occurred: etcdserver: no leader",
      "InternalError",
      "cluster",
      "The cluster's API server returned an error for the service db: ",
    ],
    [
      503,
      "ServiceUnavailable",
      "the server is currently unable to handle the request",
      "ServiceUnavailable",
      "cluster",
      "The cluster's API server returned an error for the service db: ",
    ],
  ];

for (const [status, reason, serverMessage, code, blame, begins] of ANSWERS) {
  test(`says of ${status} "${serverMessage.slice(0, 60)}" what it means, and keeps its words`, () => {
    const explanation = answered(status, reason, serverMessage);
    assert.equal([explanation.code, explanation.blame, explanation.message], [code, blame, begins + serverMessage]);
    assert.match(explanation.hint ?? "", /^[A-Z].*\.$/);
  });
}

test("names the object by its path if the message does not", () => {
  const serverMessage = "Internal error occurred: x";
  const at = (doing: string) => answered(500, "InternalError", serverMessage, doing).message.replace(serverMessage, "");
  assert.is(
    at("GET c:1/apis/apps/v1/namespaces/n/statefulsets/db"),
    "The cluster's API server returned an error for the stateful set db: ",
  );
  assert.is(at("POST c:1/api/v1/namespaces/n/secrets"), "The cluster's API server returned an error for a secret: ");
  assert.is(at("POST c:1/api/v1/namespaces"), "The cluster's API server returned an error for a namespace: ");
  assert.is(at("GET c:1/version"), "The cluster's API server returned an error for the requested object: ");
});

for (const code of ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ETIMEDOUT", "whatever"]) {
  test(`explains an unreachable cluster with a specific hint: ${code}`, () => {
    const cause = Object.assign(new Error("connect"), { code });
    const explanation = explainClusterError(
      new ClusterError("unreachable", `GET c:1/x: connect ${code}`, { transient: true, cause }),
    );
    assert.is(explanation.message, `The cluster cannot be reached: GET c:1/x: connect ${code}`);
    assert.match(explanation.hint!, /\.$/);
  });
}

test("leaves diagnoses unchanged", () => {
  const error = new ClusterError("ErrImagePull", "The image …", { transient: false, blame: "user", hint: "Do." });
  assert.equal(explainClusterError(error), {
    code: "ErrImagePull",
    message: "The image …",
    blame: "user",
    hint: "Do.",
  });
});

test.run();
