import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkContract } from "#test/contract/contract.ts";
import { parseSurface } from "#test/contract/parse-surface.ts";
import { renderSurface } from "#test/contract/surface.ts";
import { CHECK_DATE, cloneDocument, documentOf, type Json } from "#test/support/contract.ts";

const test = suite("surfaceOf");

const TEXT = { type: "string" }, NULL = { type: "null" };
const refused = { content: { "application/json": { schema: TEXT } }, headers: { "X-Request-Id": { schema: TEXT } } };
const thing = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 9, description: "Its name; must be short" },
    state: { anyOf: [{ enum: ["new", "old"] }, NULL] },
    tags: { type: "array", items: TEXT },
    more: { type: "object", additionalProperties: {}, propertyNames: TEXT },
    next: { anyOf: [{ $ref: "#/components/schemas/Thing" }, NULL] },
  },
  required: ["name", "tags"],
  additionalProperties: false,
};
const either = { anyOf: [true, false].map((done) => ({ type: "object", properties: { done: { const: done } } })) };

test("prints one line per item, and shared schemas once", () => {
  const document = cloneDocument(documentOf(TEXT, either, { Thing: thing }), (copy) => {
    Object.assign(copy.paths["/things"].post, {
      deprecated: true,
      "x-deprecation": { since: "2026-01-01", sunset: "2026-03-01" },
      "x-access": "operator",
      "x-scope": "cli",
      "x-faults": ["thing_taken"],
      "x-aliases": ["/thing"],
      parameters: [{ in: "query", name: "ids", schema: { type: "array", items: TEXT } }],
    });
    copy.paths["/things"].post.responses = {
      200: { ...copy.paths["/things"].post.responses[200], headers: refused.headers },
      204: { headers: { ...refused.headers, Link: { required: true, schema: TEXT } } },
      409: refused,
    };
    copy.components.examples = { any: { value: { code: "thing_taken", statusCode: 409 } } };
    copy.components.securitySchemes = { bearer: { type: "http", scheme: "bearer", description: "A token" } };
  });
  assert.is(
    renderSurface(document),
    `POST /things 200 application/json <done=false> object
POST /things 200 application/json <done=false>.done = false
POST /things 200 application/json <done=false>.done boolean?
POST /things 200 application/json <done=true> object
POST /things 200 application/json <done=true>.done = true
POST /things 200 application/json <done=true>.done boolean?
POST /things 200 application/json object
POST /things 204 header .Link string
POST /things 204 nothing
POST /things alias /thing
POST /things body application/json string?
POST /things by "operator" with cli session
POST /things deprecated since 2026-01-01 until 2026-03-01
POST /things every header .X-Request-Id string?
POST /things fault thing_taken
POST /things query .ids array?
POST /things query .ids[] string
POST /things refuses 409
Thing .more object?
Thing .more{*} any
Thing .name string maxLength=9 says="must be short"
Thing .next Thing|null?
Thing .state = "new"
Thing .state = "old"
Thing .state string|null?
Thing .tags array
Thing .tags[] string
Thing object closed=true
code thing_taken 409
credential bearer scheme=bearer type=http
refusal 409 application/json string
server /
`,
  );
});

test("rejects unsupported constructs instead of omitting them", () => {
  const schemas: Readonly<Record<string, Json>> = {
    "allOf at": { allOf: [TEXT] },
    "not at": { not: TEXT },
    "exclusiveMinimum at": { type: "number", exclusiveMinimum: 0 },
    "prefixItems at": { type: "array", prefixItems: [TEXT] },
    "propertyNames at": { type: "object", propertyNames: { pattern: "^x$" } },
    "false at": false,
    "keywords next to": { anyOf: [TEXT, NULL], maxLength: 3 },
    "two options of one type": { anyOf: [TEXT, { type: "string", maxLength: 3 }] },
    "the name a.b": { type: "object", properties: { "a.b": TEXT } },
  };
  for (const [says, schema] of Object.entries(schemas)) {
    assert.throws(() => renderSurface(documentOf(schema, TEXT)), new RegExp(says), says);
  }
  const documents: Readonly<Record<string, (copy: Json) => void>> = {
    "security of the document": (copy) => copy.security = [],
    "servers of SERVERS /things": ({ paths }) => paths["/things"].servers = [],
    "callbacks of POST /things": ({ paths }) => paths["/things"].post.callbacks = {},
    "^POST /things: .* content of query filter": ({ paths }) =>
      paths["/things"].post.parameters = [{ name: "filter", in: "query", content: {} }],
    "^POST /things: .* style of query ids": ({ paths }) =>
      paths["/things"].post.parameters = [{ name: "ids", in: "query", schema: TEXT, style: "spaceDelimited" }],
    "^POST /things: .* undefined at query .ids": ({ paths }) =>
      paths["/things"].post.parameters = [{ name: "ids", in: "query", description: "No schema" }],
    "a reference of POST /things": ({ paths }) => paths["/things"].post.responses[404] = { $ref: "#/components/x" },
  };
  for (const [says, change] of Object.entries(documents)) {
    assert.throws(() => renderSurface(cloneDocument(documentOf(TEXT, TEXT), change)), new RegExp(says), says);
  }
});

const reading = suite("readSurface, on the current surface");

const present = readFile(new URL("../golden/surface.txt", import.meta.url), "utf8");

reading("rejects a file that a merge damaged", async () => {
  const text = await present;
  const damage: Readonly<Record<string, (text: string) => string>> = {
    "No line of a surface: <<<<<<< HEAD": (it) => `<<<<<<< HEAD\n${it}`,
    "No line of a surface: Spoke .slug text!": (it) => it.replace(/^Spoke \.slug string/m, "Spoke .slug text!"),
    "no line that says what Catalog .sizes is": (it) => it.replace(/^Catalog \.sizes .*\n/m, ""),
    "no schema Operation, of which": (it) => it.replace(/^Operation .*\n/gm, ""),
    "by whom GET /api/users may": (it) => it.replace(/^GET \/api\/users by .*\n/m, ""),
    "as what GET / answers 303": (it) => it.replace("GET / 303 nothing\n", ""),
    "how 429 is refused": (it) => it.replace(/^refusal 429 .*\n/gm, ""),
  };
  for (const [says, change] of Object.entries(damage)) {
    assert.throws(() => parseSurface(change(text)), (error: Error) => error.message.includes(says), says);
  }
});

reading("detects each removed line, except lines of faults and unchanged parts", async () => {
  const text = await present, before = parseSurface(text), lines = text.trimEnd().split("\n");
  // A field with a single constant value is excluded too.
  const free = /^(?:code|refusal) |^[A-Z]+ \/\S* (?:fault|refuses|304|[45]\d\d) |^server | = (?:true|false|"retry")$/;
  const unseen = lines.filter((line, i) => {
    if (i % 29 > 0 || free.test(line)) return false; // samples a few dozen lines of every kind
    try {
      return checkContract(before, parseSurface(lines.toSpliced(i, 1).join("\n")), CHECK_DATE).length === 0;
    } catch {
      return false;
    }
  });
  assert.equal(unseen, []);
});

test.run();
reading.run();
