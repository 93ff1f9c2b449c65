import { suite } from "uvu";
import * as assert from "uvu/assert";
import { errorOf, warningsOf } from "#lib/cluster/status.ts";

const error = (status: number, body: object | string, headers: Record<string, string> = {}) =>
  errorOf(
    { status, headers, body: typeof body === "string" ? body : JSON.stringify({ kind: "Status", ...body }) },
    "GET /x",
  );

const test = suite("errorOf");

test("the cluster's own reason and message are kept", () => {
  const { code, message, status, transient } = error(404, {
    reason: "NotFound",
    message: 'namespaces "x" not found',
    details: { name: "x", kind: "namespaces" },
  });
  assert.equal({ code, message, status, transient }, {
    code: "NotFound",
    message: 'namespaces "x" not found',
    status: 404,
    transient: false,
  });
});

test("what an overloaded or restarting server answers is transient", () => {
  for (const status of [408, 429, 500, 502, 503, 504]) {
    assert.ok(error(status, "<html>oops</html>").transient, `${status}`);
  }
  for (const status of [400, 401, 403, 404, 405, 415, 422]) assert.not(error(status, "no").transient, `${status}`);
});

test("a lost optimistic lock is transient, another uid and another owner are not", () => {
  const conflict = (message: string, details = {}) => error(409, { reason: "Conflict", message, details }).transient;
  assert.ok(conflict('Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply'));
  assert.not(conflict("Precondition failed: UID in precondition: 1, UID in object meta: 2"));
  assert.not(conflict("Apply failed with 1 conflict", { causes: [{ reason: "FieldManagerConflict" }] }));
  assert.not(error(409, { reason: "AlreadyExists", message: "there" }).transient);
});

test("a manifest that does not fit its schema is permanent, though it is called an internal error", () => {
  const typed = error(500, {
    message: "failed to create typed patch object (ns/c; /v1, Kind=ConfigMap): .nonsense: field not declared in schema",
  });
  assert.equal([typed.code, typed.transient, typed.blame], ["Invalid", false, "operator"]);
});

test("a namespace that is being deleted has its own code", () => {
  const { code, transient } = error(403, {
    reason: "Forbidden",
    message:
      'configmaps "late" is forbidden: unable to create new content in namespace x because it is being terminated',
    details: { causes: [{ reason: "NamespaceTerminating" }] },
  });
  assert.equal([code, transient], ["Terminating", false]);
});

test("a quota is the operator's, and has a hint", () => {
  const quota = error(403, {
    reason: "Forbidden",
    message: 'persistentvolumeclaims "files" is forbidden: exceeded quota: spoke, requested: requests.storage=10Gi, ' +
      "used: requests.storage=5Gi, limited: requests.storage=8Gi",
  });
  assert.equal([quota.code, quota.blame, quota.transient], ["ExceededQuota", "operator", false]);
  assert.ok(quota.hint);
});

test("a quota that is not counted yet is transient", () => {
  assert.ok(error(403, { reason: "Forbidden", message: "pods is forbidden: status unknown for quota: q" }).transient);
});

test("an unknown group and an unknown resource are kinds that are not served", () => {
  assert.is(error(404, "404 page not found\n").code, "NoKind");
  const message = "the server could not find the requested resource";
  assert.is(error(404, { reason: "NotFound", message, details: {} }).code, "NoKind");
});

test("how long to wait is read from the header, as seconds or date, or from the details", () => {
  assert.is(error(429, "", { "retry-after": "3" }).retryAfterMs, 3000);
  assert.is(error(429, { details: { retryAfterSeconds: 2 } }).retryAfterMs, 2000);
  const soon = error(503, "", { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).retryAfterMs ?? 0;
  assert.ok(soon > 50_000 && soon <= 60_000, `${soon}`);
});

test("warnings are unquoted", () => {
  const warning = '299 - "would violate PodSecurity \\"restricted:latest\\": x (must set a=\\"b\\")", 299 - "second"';
  assert.equal(warningsOf({ status: 200, headers: { warning }, body: "" }), [
    'would violate PodSecurity "restricted:latest": x (must set a="b")',
    "second",
  ]);
});

test.run();
