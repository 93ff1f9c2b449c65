import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { boundedText, createPageLimitSchema, optionalOrNull, Slug } from "#lib/base/schema.ts";
import { jsonPost, openTestHandler, type TestHandler } from "#test/support/handler.ts";

const test = suite("request input");
const ResultSchema = v.object({ seen: v.any() });

const make = endpoint({
  summary: "Make",
  access: publicAccess,
  scope: "public",
  body: v.object({
    slug: Slug,
    size: optionalOrNull(v.picklist(["small", "medium", "large"])),
    identity: optionalOrNull(v.boolean()),
    ids: v.optional(v.array(v.string())),
    name: optionalOrNull(boundedText(1, 10)),
  }),
  reply: okReply(ResultSchema),
  handle: ({ body }) => ({ seen: body }),
});
const find = endpoint({
  summary: "Find",
  access: publicAccess,
  scope: "public",
  query: v.object({ limit: createPageLimitSchema(25) }),
  reply: okReply(ResultSchema),
  handle: ({ query }) => ({ seen: query }),
});
const free = endpoint({
  summary: "Free",
  access: publicAccess,
  scope: "public",
  body: v.object({ name: optionalOrNull(v.string()) }),
  reply: okReply(ResultSchema),
  handle: ({ body }) => ({ seen: body }),
});

const opened = openIt();
const send = async (...args: Parameters<TestHandler["send"]>) => await (await opened).send(...args);
function openIt() {
  const x = { POST: make as AnyEndpoint, GET: find as AnyEndpoint };
  return openTestHandler([["/x", x], ["/x/:id", x], ["/free", { POST: free as AnyEndpoint }]], {
    env: { BODY_LIMIT_BYTES: "1024" },
  });
}

const refusal = async (body: unknown) => {
  const { status, body: { message } } = await send("/x", jsonPost(body));
  assert.is(status, 400);
  return message;
};

test("names each invalid field and what it must be", async () => {
  assert.is(
    await refusal({ slug: "Not a slug", size: "huge", identity: "yes", ids: ["a", "b", "c", 4] }),
    "slug must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen; " +
      "size must be one of small, medium, large; identity must be true or false; ids.3 must be text",
  );
});

test("describes what a missing field must be", async () => {
  assert.match(await refusal({}), /^slug must be 1 to 63 lower-case letters/);
});

test("names ten problems and counts the others", async () => {
  const message = await refusal({ slug: "oak", ids: Array.from({ length: 30 }, (_, i) => i) });
  assert.match(message, /^ids\.0 must be text; .*ids\.9 must be text; and 20 more$/);
});

test("refuses undeclared fields, and prototype keys", async () => {
  const strange = jsonPost('{"slug":"oak","admin":true,"__proto__":{"size":"large"},"constructor":1}');
  const { status, body } = await send("/x", strange);
  assert.equal([status, body.code], [400, "unknown_field"]);
  assert.is(body.message, "Unknown fields `admin`, `__proto__`, `constructor`");
  assert.is(({} as { size?: string }).size, undefined);
});

test("treats a missing body as empty", async () => {
  assert.is((await send("/free", { method: "POST" })).status, 200);
  assert.is((await send("/free", jsonPost(""))).status, 200);
  assert.equal((await send("/free", jsonPost({ name: null }))).body.seen, {});
});

test("refuses bodies that are not JSON objects", async () => {
  const unreadable = "The body is not valid JSON in UTF-8";
  assert.is(await refusal("{"), unreadable);
  assert.is(await refusal('{"a":1}x'), unreadable);
  for (const body of ["[]", "null", "1", '"text"']) assert.is(await refusal(body), "The body must be a JSON object");
  const bytes = { ...jsonPost({}), body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]) };
  assert.is((await send("/x", bytes)).status, 400);
  assert.is((await send("/free", jsonPost(`{"name":${"[".repeat(400)}${"]".repeat(400)}}`))).status, 400);
});

test("refuses text that the database cannot store", async () => {
  for (const name of ['"a\\u0000b"', '"\\ud800"', '"a\\u001bb"']) {
    assert.match(await refusal(`{"slug":"oak","name":${name}}`), "name must be text of 1 to 10 characters");
  }
});

test("answers 415 to a body without a JSON content type", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
    const answer = await send("/x", jsonPost({ slug: "oak" }, { "content-type": type }));
    assert.is(answer.status, 415, type);
    assert.is(answer.body.error, "Unsupported Media Type");
  }
  assert.is(
    (await send("/x", jsonPost({ slug: "oak" }, { "content-type": "Application/JSON; charset=utf-8" }))).status,
    200,
  );
  assert.is((await send("/x", jsonPost({ slug: "oak" }, { "content-encoding": "gzip" }))).status, 415);
});

test("answers 413 to a body over the limit, and accepts one at the limit", async () => {
  const padded = (length: number) => jsonPost(`{"slug":"oak"${" ".repeat(length - 14)}}`);
  assert.is((await send("/x", padded(1024))).status, 200);
  const answer = await send("/x", padded(1025));
  assert.is(answer.status, 413);
  assert.is(answer.body.message, "The body must not be larger than 1024 bytes");
});

test("stops reading a body without Content-Length at the limit", async () => {
  let bytesRead = 0;
  const body = new ReadableStream({
    pull(controller) {
      bytesRead += 512;
      controller.enqueue(new Uint8Array(512));
    },
  }, { highWaterMark: 0 });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half" };
  assert.is((await send("/x", init as RequestInit)).status, 413);
  assert.is(bytesRead, 1536);
});

test("answers 400 to invalid encoding in path or query, and to control characters in a path", async () => {
  for (const path of ["/x/%zz", "/x/%ff", "/x/%00", "/x/a%0ab", "/x?limit=%ff", "/x?limit=%"]) {
    assert.is((await send(path)).status, 400, path);
  }
});

test("refuses repeated query parameters", async () => {
  assert.equal((await send("/x?limit=7")).body.seen, { limit: 7 });
  const twice = await send("/x?limit=7&limit=8");
  assert.is(twice.status, 400);
  assert.is(twice.body.message, "Send each query parameter only once");
  assert.is((await send("/x?limit=0")).body.message, "limit must be a whole number from 1 to 100");
});

test("refuses a query with too many parameters or characters before parsing it", async () => {
  const many = Array.from({ length: 41 }, (_, i) => `p${i}=1`).join("&");
  for (const query of [many, `a=${"x".repeat(8192)}`]) {
    const { status, body } = await send(`/x?${query}`);
    assert.is(status, 400);
    assert.is(body.message, "The query must have at most 40 parameters and 8192 characters");
  }
});

test.run();
