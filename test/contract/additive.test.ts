/** Tests that changes that may come at any time cause no finding on the current document. A noisy check would be
 * ignored. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cloneDocument, describeFindings, findBreaks, type Json, loadCurrentDocument } from "#test/support/contract.ts";

const test = suite("checkContract, on additions to the current document");

const present = loadCurrentDocument();

type Change = (paths: Json, schemas: Json, document: Json) => void;

async function free(changes: Readonly<Record<string, Change>>): Promise<void> {
  const document = await present;
  for (const [name, change] of Object.entries(changes)) {
    const found = findBreaks(document, (copy) => change(copy.paths, copy.components.schemas, copy));
    assert.equal(describeFindings(found), [], name);
  }
}

const TEXT = { type: "string" }, NULL = { type: "null" };
const ACTIONS = "/api/spokes/{spokeId}/actions";

test("accepts new endpoints", () =>
  free({
    path: (paths) => paths["/api/new"] = paths["/api/my-spokes"],
    method: (paths) => paths["/api/my-spokes"].post = paths[ACTIONS].post,
    all: (paths) =>
      Object.assign(paths, Object.fromEntries(Object.entries(paths).map(([path, it]) => [`/v2${path}`, it]))),
  }));

test("accepts new optional request fields and parameters", () =>
  free({
    field: (_, { NewSpoke }) => NewSpoke.properties.theme = TEXT,
    nested: (_, { OnboardingAnswers }) =>
      OnboardingAnswers.properties.more = { type: "object", properties: { a: TEXT } },
    query: (paths) =>
      paths["/api/users"].get.parameters.unshift({ name: "hub", in: "query", required: false, schema: TEXT }),
    header: (paths) => paths["/api/users"].get.parameters.push({ name: "X-Hub", in: "header", schema: TEXT }),
    body: (paths) => paths["/api/auth/logout"].post.requestBody = { content: { "application/json": { schema: {} } } },
    type: (paths) => paths["/api/auth/login"].post.requestBody.content["application/xml"] = { schema: TEXT },
  }));

test("accepts new response fields, headers and responses", () =>
  free({
    field: (_, { Spoke }) => Spoke.properties.theme = TEXT,
    always: (_, { Problem }) => {
      Problem.properties.code = TEXT;
      Problem.required.push("code");
    },
    nested: (_, { Catalog }) => Catalog.properties.sizes.items.properties.resources.properties.gpu = { type: "number" },
    header: (paths) => paths["/api/version"].get.responses[200].headers["X-More"] = { schema: TEXT },
    accepted: (paths) => paths["/api/auth/logout"].post.responses[202] = { description: "Later" },
    refusal: (paths) => paths["/api/version"].get.responses[418] = { description: "No" },
    "no refusal": (paths) => delete paths[ACTIONS].post.responses[409],
    "always there": (_, { StreamEvent }) => StreamEvent.required = Object.keys(StreamEvent.properties),
    "never null": (_, { Federation }) => Federation.properties.region.anyOf.pop(),
    "in other forms": (_, schemas) =>
      schemas.Acknowledgement = {
        anyOf: [{ message: TEXT, sent: { const: true } }, { message: { const: "Not now" }, why: TEXT }].map((
          properties,
        ) => ({
          type: "object",
          properties,
          required: ["message"],
        })),
      },
  }));

test("accepts new enum values in responses", () =>
  free({
    answered: (_, { Operation }) => Operation.properties.state.enum.unshift("paused"),
    sent: (_, { SpokeAction }) => SpokeAction.properties.action.enum.push("archive"),
    query: (paths) =>
      paths["/api/users"].get.parameters.find((one: Json) => one.name === "role").schema.enum.push("guest"),
    "of one": (paths) => {
      const { properties } = paths["/api/healthz"].get.responses[200].content["application/json"].schema;
      properties.status = { enum: ["ok", "degraded"] };
    },
  }));

test("accepts looser validation", () =>
  free({
    longer: (_, { Login }) => Login.properties.password.maxLength = 9000,
    shorter: (_, { Login }) => delete Login.properties.password.minLength,
    "any pattern": (_, { NewSpoke }) => delete NewSpoke.properties.slug.pattern,
    "fewer required": (_, { NewToken }) => NewToken.required = [],
    null: (_, { NewSpoke }) => NewSpoke.properties.slug = { anyOf: [NewSpoke.properties.slug, NULL] },
    "any text": (_, { NewToken }) => NewToken.properties.scope = TEXT,
    "more types": (_, { NewSpoke }) => NewSpoke.properties.slug.type = ["string", "number"],
    "longer list": (_, { BulkAction }) => delete BulkAction.properties.ids.maxItems,
    "no body": (paths) => paths["/api/auth/login"].post.requestBody.required = false,
    "in words": (_, { NewFederation: { properties: { name } } }) => {
      for (const one of [name, name.anyOf[0]]) one.description = one.description.replace("1 to 200", "0 to 900");
    },
    scope: ({ "/api/federations": { post } }) => {
      post["x-scope"] = "provisioning";
      post.security[0].bearer = ["provisioning"];
    },
    tokens: ({ "/api/auth/tokens": { post } }) => {
      post["x-scope"] = "cli";
      post.security.unshift({ bearer: ["cli"] });
    },
    nobody: ({ "/api/catalog": { get } }) => {
      Object.assign(get, { "x-scope": "public", "x-access": "anyone", security: [] });
      delete get.responses[401];
    },
    access: (paths) => paths["/api/users"].get["x-access"] = "signed in",
  }));

test("accepts other descriptions", () =>
  free({
    everywhere: (paths, schemas, document) => {
      const reword = (node: Json): void => {
        for (const [key, value] of Object.entries(node)) {
          if (typeof value === "object" && value !== null) reword(value);
          else if (key === "description" || key === "summary" || key === "title") node[key] = "In other words";
        }
      };
      reword({ paths, schemas });
      document.info = { title: "Other", version: "9" };
      document.tags = [];
    },
    names: (paths) => {
      for (const [path, item] of Object.entries<Json>(paths)) {
        for (const operation of Object.values<Json>(item)) {
          Object.assign(operation, { operationId: `x${path}`, tags: [], "x-faults": [] });
        }
      }
    },
    default: (_, { Login }) => Login.properties.password.default = "secret",
  }));

test("accepts an equivalent schema", () =>
  free({
    "a list of types": (_, { Federation }) => Federation.properties.region = { type: ["null", "string"] },
    "an option": (_, { NewToken }) =>
      NewToken.properties.scope = { oneOf: NewToken.properties.scope.enum.map((scope: string) => ({ const: scope })) },
    "another name": (paths, schemas, document) => {
      const text = JSON.stringify({ paths, schemas }).replaceAll("schemas/Operation", "schemas/Job");
      const { paths: renamed, schemas: { Operation, ...others } } = JSON.parse(text);
      document.paths = renamed;
      document.components.schemas = { ...others, Job: Operation, JobDetail: schemas.OperationDetail };
    },
    "written out": (_, schemas) => schemas.Me.properties.user = schemas.User,
    "another order": (_, { SpokeAction }) => SpokeAction.properties.action.enum.reverse(),
    "a whole number": (_, { Marked }) => Marked.properties.marked.type = "integer",
  }));

test("accepts an announcement and its withdrawal", async () => {
  const declare = ({ paths }: Json) => {
    const { get } = paths["/api/my-spokes"];
    Object.assign(get, {
      deprecated: true,
      "x-deprecation": { since: "2026-11-01", sunset: "2026-12-31", note: "Gone" },
    });
    get.responses[200].headers.Sunset = { $ref: "#/components/headers/Sunset" };
  };
  assert.equal(describeFindings(findBreaks(await present, declare)), []);
  const withdraw = ({ paths }: Json) => {
    const { get } = paths["/api/my-spokes"];
    delete get.deprecated;
    delete get["x-deprecation"];
    delete get.responses[200].headers.Sunset;
  };
  assert.equal(describeFindings(findBreaks(cloneDocument(await present, declare), withdraw)), []);
});

test.run();
