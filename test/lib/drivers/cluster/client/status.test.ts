import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createErrorFromResponse, readResponseWarnings } from "#lib/drivers/cluster/client/status.ts";

const error = (status: number, body: object | string, headers: Record<string, string> = {}) =>
  createErrorFromResponse(
    { status, headers, body: typeof body === "string" ? body : JSON.stringify({ kind: "Status", ...body }) },
    "GET /x",
  );

const test = suite("errorOfResponse");

test("keeps the cluster's reason and message", () => {
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

test("treats responses of an overloaded or restarting server as transient", () => {
  for (const status of [408, 410, 425, 429, 500, 502, 503, 504, 521, 529, 599]) {
    assert.ok(error(status, "<html>oops</html>").transient, `${status}`);
  }
  for (const status of [400, 405, 406, 413, 415, 422, 501, 505]) assert.not(error(status, "no").transient, `${status}`);
});

test("treats refused credentials as transient and blames the operator", () => {
  const { code, transient, blame, hint } = error(401, { reason: "Unauthorized", message: "Unauthorized" });
  assert.equal([code, transient, blame], ["Unauthorized", true, "operator"]);
  assert.match(hint ?? "", "Renew the credentials");
});

test("treats a write conflict as transient, but not another UID or field owner", () => {
  const conflict = (message: string, details = {}) => error(409, { reason: "Conflict", message, details }).transient;
  assert.ok(conflict('Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply'));
  assert.not(conflict("Precondition failed: UID in precondition: 1, UID in object meta: 2"));
  assert.not(conflict("Apply failed with 1 conflict", { causes: [{ reason: "FieldManagerConflict" }] }));
  assert.not(error(409, { reason: "AlreadyExists", message: "there" }).transient);
});

test("treats a schema violation as permanent despite its 500", () => {
  const typed = error(500, {
    message: "failed to create typed patch object (ns/c; /v1, Kind=ConfigMap): .nonsense: field not declared in schema",
  });
  assert.equal([typed.code, typed.transient, typed.blame], ["Invalid", false, "operator"]);
});

test("has a separate code for a namespace that is being deleted", () => {
  const { code, transient } = error(403, {
    reason: "Forbidden",
    message:
      'configmaps "late" is forbidden: unable to create new content in namespace x because it is being terminated',
    details: { causes: [{ reason: "NamespaceTerminating" }] },
  });
  assert.equal([code, transient], ["Terminating", false]);
});

test("blames the operator for a quota, with a hint", () => {
  const quota = error(403, {
    reason: "Forbidden",
    message: 'persistentvolumeclaims "files" is forbidden: exceeded quota: spoke, requested: requests.storage=10Gi, ' +
      "used: requests.storage=5Gi, limited: requests.storage=8Gi",
  });
  assert.equal([quota.code, quota.blame, quota.transient], ["ExceededQuota", "operator", false]);
  assert.ok(quota.hint);
});

test("treats a quota without usage status as transient", () => {
  assert.ok(error(403, { reason: "Forbidden", message: "pods is forbidden: status unknown for quota: q" }).transient);
});

test("reports an unknown group or resource as an unknown kind", () => {
  assert.is(error(404, "404 page not found\n").code, "NoKind");
  const message = "the server could not find the requested resource";
  assert.is(error(404, { reason: "NotFound", message, details: {} }).code, "NoKind");
});

test("reads the wait from the header (seconds or date) or from the details", () => {
  assert.is(error(429, "", { "retry-after": "3" }).retryAfterMs, 3000);
  assert.is(error(429, { details: { retryAfterSeconds: 2 } }).retryAfterMs, 2000);
  const soon = error(503, "", { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).retryAfterMs ?? 0;
  assert.ok(soon > 50_000 && soon <= 60_000, `${soon}`);
});

for (
  const [header, most] of [
    ["86400", 60_000],
    ["99999999999999", 60_000],
    [new Date(Date.now() + 86_400_000).toUTCString(), 60_000],
    [new Date(Date.now() - 86_400_000).toUTCString(), 0],
    ["0", 0],
    ["-5", undefined],
    ["soon", undefined],
    ["1e3", undefined],
    ["Sat Nov 21 2026", undefined],
    ["99999999999999999999999", undefined],
    ["", undefined],
  ] as const
) {
  test(`a server that wants ${JSON.stringify(header)} waited for gets ${most ?? "no answer to that"}`, () => {
    assert.is(error(429, "", { "retry-after": header }).retryAfterMs, most);
  });
}

test("compares a Retry-After date with the server's clock", () => {
  const headers = { date: "Tue, 01 Jan 2030 00:00:00 GMT", "retry-after": "Tue, 01 Jan 2030 00:00:07 GMT" };
  assert.is(error(503, "", headers).retryAfterMs, 7000);
});

test("ignores invalid fields of a Status", () => {
  const odd = error(429, { message: 5, reason: ["x"], details: { retryAfterSeconds: "soon", causes: "all" } });
  assert.equal([odd.code, odd.retryAfterMs, odd.transient], ["TooManyRequests", undefined, true]);
  assert.is(error(409, { details: { causes: [null, "x"] } }).code, "Conflict");
  assert.is(error(422, { details: [] }).code, "Invalid");
});

test("unquotes warnings", () => {
  const warning = '299 - "would violate PodSecurity \\"restricted:latest\\": x (must set a=\\"b\\")", 299 - "second"';
  assert.equal(readResponseWarnings({ status: 200, headers: { warning }, body: "" }), [
    'would violate PodSecurity "restricted:latest": x (must set a="b")',
    "second",
  ]);
});

test.run();
