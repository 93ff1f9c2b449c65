import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  cloneDocument,
  type ContractCase,
  describeFindings,
  findBreaks,
  type Json,
  loadCurrentDocument,
  surfaceIn,
  testEachCase,
} from "#test/support/contract.ts";

const test = suite("checkContract, on the current document");

const present = loadCurrentDocument();

const each = async (cases: readonly ContractCase[]): Promise<void> => testEachCase(await present, cases);

const ACTIONS = "/api/spokes/{spokeId}/actions";
const bodyOf = (operation: Json) => operation.requestBody.content;
const answerOf = (operation: Json, status = 200, type = "application/json") =>
  operation.responses[status].content[type];
const parameterOf = (operation: Json, name: string) => operation.parameters.find((one: Json) => one.name === name);

test("finds nothing in an unchanged document", async () => {
  const document = await present;
  assert.equal(findBreaks(document, () => undefined), []);
});

test("finds a response field that was removed or became optional", () =>
  each([
    ["response_field_removed Spoke.displayName", (_, { Spoke }) => delete Spoke.properties.displayName],
    ["response_field_removed Operation.error.hint", (_, { Operation }) =>
      delete Operation.properties.error.anyOf[0].properties.hint],
    ["response_field_removed Catalog.sizes[].resources.app.limits.cpu", (_, { Catalog }) =>
      delete Catalog.properties.sizes.items.properties.resources.properties.app.properties.limits.properties.cpu],
    ["response_field_removed Problem.message", (_, { Problem }) =>
      delete Problem.properties.message],
    ["response_field_removed StreamEvent.operation", (_, { StreamEvent }) =>
      delete StreamEvent.properties.operation],
    ["response_field_removed GET /api/version answer 200: commit", (paths) =>
      delete answerOf(paths["/api/version"].get).schema.properties.commit],
    ["response_field_removed Token.prefix", (_, { Token }) =>
      Token.required = Token.required.filter(not("prefix"))],
    ["response_field_removed POST /api/federations answer 201, header: location", (paths) =>
      delete paths["/api/federations"].post.responses[201].headers.Location],
    ["response_field_removed POST /api/auth/login answer 200, header: set-cookie", (paths) =>
      paths["/api/auth/login"].post.responses[200].headers["Set-Cookie"] = { schema: { type: "string" } }],
    [`response_field_removed POST ${ACTIONS} answer 202`, (paths) =>
      delete paths[ACTIONS].post.responses[202]],
    ["response_field_removed AuditEvent.metadata", (_, { AuditEvent }) =>
      AuditEvent.properties.metadata.additionalProperties = false],
  ]));

test("finds a renamed field in requests and responses", () =>
  each([
    ["field_renamed Spoke.displayName", (_, { Spoke }) => rename(Spoke, "displayName", "title")],
    ["field_renamed Operation.waitingFor.label", (_, { Operation }) =>
      rename(Operation.properties.waitingFor.anyOf[0], "label", "title")],
    ["field_renamed Catalog.versions[].preview", (_, { Catalog }) =>
      rename(Catalog.properties.versions.items, "preview", "beta")],
    ["field_renamed NewSpoke.slug", (_, { NewSpoke }) =>
      rename(NewSpoke, "slug", "name")],
    ["field_renamed BulkAction.ids", (_, { BulkAction }) =>
      rename(BulkAction, "ids", "spokeIds")],
    ["field_renamed SpokeAction.size", (_, { SpokeAction }) =>
      delete SpokeAction.properties.size],
    ["field_renamed POST /invite the body: password", (paths) =>
      rename(bodyOf(paths["/invite"].post)["application/x-www-form-urlencoded"].schema, "password", "secret")],
    ["field_renamed GET /api/users the query: email", (paths) =>
      parameterOf(paths["/api/users"].get, "email").name = "address"],
    ["field_renamed GET /api/users the query: before", (paths) =>
      paths["/api/users"].get.parameters.pop()],
    ["field_renamed POST /api/federations the header: idempotency-key", (paths) =>
      parameterOf(paths["/api/federations"].post, "Idempotency-Key").name = "X-Key"],
    ["field_renamed POST /api/spokes/{spokeId}/delegate the path: spokeId", (paths) => {
      paths["/api/spokes/{id}/delegate"] = paths["/api/spokes/{spokeId}/delegate"];
      delete paths["/api/spokes/{spokeId}/delegate"];
      parameterOf(paths["/api/spokes/{id}/delegate"].post, "spokeId").name = "id";
    }],
    ["field_renamed POST /api/auth/login the body", (paths) =>
      delete paths["/api/auth/login"].post.requestBody],
  ]));

test("finds a field with another type", () =>
  each([
    ["type_changed Spoke.slug", (_, { Spoke }) => Spoke.properties.slug.type = "number"],
    ["type_changed Member.displayName", (_, { Member }) => nullable(Member, "displayName")],
    ["type_changed Member.createdAt", (_, { Member }) => delete Member.properties.createdAt.format],
    ["type_changed BackupSummary.snapshots[].sizeBytes", (_, { BackupSummary }) =>
      BackupSummary.properties.snapshots.items.properties.sizeBytes.anyOf[0].type = "string"],
    ["type_changed Federation.operation", (_, { Federation }) =>
      Federation.properties.operation = { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["type_changed Marked.marked", (_, { Marked }) =>
      Marked.properties.marked = { type: "array", items: { type: "number" } }],
    ["type_changed NewSpoke.identity", (_, { NewSpoke }) =>
      NewSpoke.properties.identity.anyOf[0].type = "string"],
    ["type_changed BulkAction.ids[]", (_, { BulkAction }) =>
      BulkAction.properties.ids.items.type = "number"],
    ["type_changed GET /api/users the query: limit", (paths) =>
      parameterOf(paths["/api/users"].get, "limit").schema.type = "integer"],
    ["type_changed GET /api/users answer 200", (paths) =>
      answerOf(paths["/api/users"].get).schema = answerOf(paths["/api/users"].get).schema.items],
    ["type_changed GET /api/federations/{federationId}/events answer 200", (paths) =>
      retype(
        paths["/api/federations/{federationId}/events"].get.responses[200],
        "text/event-stream",
        "application/json",
      )],
    ["type_changed POST /api/auth/login the body", (paths) =>
      retype(paths["/api/auth/login"].post.requestBody, "application/json", "application/xml")],
    ["type_changed GET /verify answer 200", (paths) =>
      retype(paths["/verify"].get.responses[200], "text/html", "text/plain")],
  ]));

test("finds an enum with other values", () =>
  each([
    ["enum_changed SpokeAction.action", (_, { SpokeAction }) => SpokeAction.properties.action.enum.pop()],
    ["enum_changed NewToken.scope", (_, { NewToken }) => NewToken.properties.scope.enum[0] = "everything"],
    ["enum_changed Operation.state", (_, { Operation }) => Operation.properties.state.enum[2] = "done"],
    ["enum_changed Operation.error.fault", (_, { Operation }) =>
      delete Operation.properties.error.anyOf[0].properties.fault.enum],
    ["enum_changed BackupSummary.snapshots[].state", (_, { BackupSummary }) =>
      BackupSummary.properties.snapshots.items.properties.state.enum.shift()],
    ["enum_changed GET /api/healthz answer 200: status", (paths) =>
      answerOf(paths["/api/healthz"].get).schema.properties.status.const = "fine"],
    ["enum_changed GET /api/users the query: role", (paths) =>
      parameterOf(paths["/api/users"].get, "role").schema.enum.pop()],
    ["enum_changed NewSpoke.size", (_, { NewSpoke }) =>
      NewSpoke.properties.size.anyOf[0].enum = ["small"]],
  ]));

test("finds tighter validation", () =>
  each([
    ["validation_tightened NewSpoke.size", (_, { NewSpoke }) => NewSpoke.required.push("size")],
    ["validation_tightened NewSpoke.plan", (_, { NewSpoke }) => {
      NewSpoke.properties.plan = { type: "string" };
      NewSpoke.required.push("plan");
    }],
    ["validation_tightened NewSpoke.brand", (_, { NewSpoke }) => NewSpoke.properties.brand.anyOf.pop()],
    ["validation_tightened NewSpoke.domain", (_, { NewSpoke }) => NewSpoke.properties.domain.anyOf[0].maxLength = 100],
    ["validation_tightened Login.password", (_, { Login }) => Login.properties.password.minLength = 8],
    ["validation_tightened BulkAction.ids", (_, { BulkAction }) => BulkAction.properties.ids.maxItems = 50],
    ["validation_tightened BulkAction.ids[]", (_, { BulkAction }) => BulkAction.properties.ids.items.pattern = "^spk_"],
    ["validation_tightened Signup.email", (_, { Signup }) => Signup.properties.email.pattern = "^.+@example.org$"],
    ["validation_tightened NewFederation.name", (_, { NewFederation }) =>
      inWords(NewFederation.properties.name, "200", "50")],
    ["validation_tightened GET /api/users the query: limit", (paths) =>
      inWords(parameterOf(paths["/api/users"].get, "limit"), "100", "50")],
    ["validation_tightened GET /api/users the query: email", (paths) =>
      parameterOf(paths["/api/users"].get, "email").required = true],
    ["validation_tightened GET /api/users the query: hub", (paths) =>
      paths["/api/users"].get.parameters.push({
        name: "hub",
        in: "query",
        required: true,
        schema: { type: "string" },
      })],
    ["validation_tightened POST /api/onboarding/complete the body", (paths) =>
      paths["/api/onboarding/complete"].post.requestBody.required = true],
    ["validation_tightened POST /api/auth/logout the body", (paths) =>
      paths["/api/auth/logout"].post.requestBody = paths["/api/auth/login"].post.requestBody],
    ["validation_tightened GET /api/catalog credentials", ({ "/api/catalog": { get } }) => {
      get["x-scope"] = "cli";
      get.security[0].bearer = ["cli"];
    }],
    ["validation_tightened GET /api/my-spokes credentials", (paths) =>
      paths["/api/my-spokes"].get["x-access"] = "operator"],
  ]));

test("finds a body that now rejects unknown fields", async () => {
  const loose = cloneDocument(await present, ({ components: { schemas } }) => {
    for (const schema of Object.values<Json>(schemas)) delete schema.additionalProperties;
  });
  testEachCase(loose, [["validation_tightened NewSpoke", (_, { NewSpoke }) => NewSpoke.additionalProperties = false]]);
});

test("finds an endpoint that no longer announces its sunset", async () => {
  const headersOf = ({ paths }: Json) => paths["/api/my-spokes"].get.responses[200].headers;
  const declared = cloneDocument(await present, (copy) => {
    const deprecation = { since: "2026-11-01", sunset: "2026-12-31", note: "Gone" };
    Object.assign(copy.paths["/api/my-spokes"].get, { deprecated: true, "x-deprecation": deprecation });
    headersOf(copy).Sunset = { $ref: "#/components/headers/Sunset" };
  });
  assert.equal(describeFindings(findBreaks(declared, (copy) => delete headersOf(copy).Sunset)), [
    "response_field_removed GET /api/my-spokes answer 200, header: sunset",
  ]);
});

test("finds an error code with another status or name", async () => {
  const document = await present;
  const findings = (change: (codes: Json, copy: Json) => void) =>
    findBreaks(document, (copy) => change(copy.components.examples, copy)).map((
      { kind, within, operation, message: says },
    ) => `${kind} ${within} ${operation}: ${says}`);
  const POST = "enum_changed Problem.code POST /api/federation-requests/{requestId}/reject";
  const isReject = (each: string) => each.startsWith(POST);
  assert.equal(findings(({ request_decided }) => request_decided.value.statusCode = 422).filter(isReject), [
    `${POST}: \`request_decided\` comes with 422 now, and came with 409`,
  ]);
  const rename = ({ request_decided }: Json, { paths }: Json) => {
    request_decided.value.code = "request_settled";
    const { post } = paths["/api/federation-requests/{requestId}/reject"];
    post["x-faults"] = ["request_settled"];
  };
  assert.equal(findings(rename), [
    `${POST}: \`request_decided\` is gone; \`request_settled\` is new and comes with 409, too: is it the same under another name?`,
  ]);
  // No endpoint lists this code, so it applies to all of them.
  assert.is(findings(({ too_slow }) => too_slow.value.statusCode = 503).length, surfaceIn(document).endpoints.size);
  // Removing an error breaks no client.
  assert.equal(findings((codes) => delete codes.request_decided), []);
});

test("reports a change of a shared schema for each affected operation", async () => {
  const found = findBreaks(await present, ({ components }) => delete components.schemas.User.properties.email);
  assert.equal(found.map(({ operation, where }) => `${operation} ${where}`).sort(), [
    "GET /api/auth/me answer 200: user.email",
    "PATCH /api/auth/me answer 200: user.email",
    "POST /api/auth/accept-invite answer 200: user.email",
    "POST /api/auth/login answer 200: user.email",
    "POST /api/auth/passkey-login answer 200: user.email",
    "POST /api/auth/second-factor answer 200: user.email",
    "POST /api/auth/verify-email answer 200: user.email",
    "POST /api/onboarding/complete answer 200: user.email",
  ]);
});

const not = (name: string) => (other: string) => other !== name;

function rename(schema: Json, name: string, other: string): void {
  schema.properties[other] = schema.properties[name];
  delete schema.properties[name];
  schema.required = schema.required.map((each: string) => each === name ? other : each);
}

function nullable(schema: Json, name: string): void {
  schema.properties[name] = { anyOf: [schema.properties[name], { type: "null" }] };
}

function retype(holder: Json, type: string, other: string): void {
  holder.content = { [other]: holder.content[type] };
}

function inWords(schema: Json, words: string, others: string): void {
  for (const one of [schema, ...schema.anyOf ?? []]) one.description = one.description?.replace(words, others);
}

test.run();
