/** Tests the headers of deprecated endpoints in every kind of response, and the announcements. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { type AccessRule, type Actor, publicAccess, signedInAccess } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { collectAnnouncedChanges, postponeAnnouncedChanges } from "#lib/http/deprecation.ts";
import { type AnyEndpoint, endpoint, type Manifest } from "#lib/http/endpoint.ts";
import { okReply, type Reply } from "#lib/http/reply.ts";
import { getEffectiveDate } from "#lib/base/notice.ts";
import { jsonPost, openTestHandler } from "#test/support/handler.ts";

const headers = suite("deprecation headers");
const notices = suite("collectAnnouncedChanges");

const OLD = { since: "2026-12-01", sunset: "2027-01-15T18:30:00+02:00", note: "Use\nanother." };
const ResultSchema = v.object({ seen: v.any() });
const cli = { authorization: "Bearer cli" };
const ENV = { PUBLIC_URL: "https://hubs.example.org" };

type More = { readonly [K in keyof AnyEndpoint]?: AnyEndpoint[K] | undefined };

function old(more: More = {}): AnyEndpoint {
  const handle = () => ({ seen: 1 });
  const all = {
    summary: "Old",
    access: signedInAccess,
    scope: "readonly",
    reply: okReply(ResultSchema),
    deprecated: OLD,
    handle,
    ...more,
  };
  return endpoint(all as AnyEndpoint) as AnyEndpoint;
}

const MISSING: AccessRule<Actor, object> = {
  name: "missing",
  admit() {
    throw new Fault("missing", "spoke_missing", "There is no such thing");
  },
};
const LINKED: Reply<unknown> = {
  ...okReply(ResultSchema) as Reply<unknown>,
  send: () => ({ status: 200, headers: { link: '</api/x/8>; rel="next"' }, body: "{}" }),
};
let release = () => {};
const held = new Promise<void>((resolve) => release = resolve);

const { send } = await openTestHandler([
  ["/api/auth/login", { POST: old({ access: publicAccess, scope: "flow", body: v.object({}) }) }],
  ["/api/plain", { GET: old({ deprecated: undefined }) }],
  ["/api/bad/:id", { GET: old({ query: v.object({ needed: v.string() }) }) }],
  ["/api/narrow/:id", { GET: old({ scope: "cli" }) }],
  ["/api/missing/:id", { GET: old({ access: MISSING }) }],
  ["/api/bug/:id", { GET: old({ handle: () => Promise.reject(new Error("a bug")) }) }],
  ["/api/busy/:id", { GET: old({ handle: () => Promise.reject(new Fault("unavailable", "busy", "Not now")) }) }],
  ["/api/held/:id", { GET: old({ handle: () => held.then(() => ({ seen: 1 })) }) }],
  ["/api/linked/:id", { GET: old({ reply: LINKED }) }],
  ["/api/x/:id", { GET: old(), POST: old({ deprecated: undefined, scope: "cli" }) }],
], { env: { ...ENV, MAX_IN_FLIGHT: "1" } });

function hasHeaders(answer: { readonly headers: Headers }, name: string): void {
  const address = `https://hubs.example.org/changelog#${name}/2026-12-01`;
  assert.is(answer.headers.get("deprecation"), "@1796083200");
  assert.is(answer.headers.get("sunset"), "Fri, 15 Jan 2027 16:30:00 GMT");
  assert.is(
    answer.headers.get("link"),
    `<${address}>; rel="deprecation"; type="text/html", <${address}>; rel="sunset"; type="text/html"`,
  );
}

headers("are sent on success and on HEAD", async () => {
  const answer = await send("/api/x/7", { headers: cli });
  assert.is(answer.status, 200);
  hasHeaders(answer, "GET/api/x/:id");
  const head = await send("/api/x/7", { method: "HEAD", headers: cli });
  assert.is(head.status, 200);
  assert.is(head.body, "");
  hasHeaders(head, "GET/api/x/:id");
});

const REFUSALS: readonly (readonly [status: number, place: string, init: RequestInit])[] = [
  [400, "bad", { headers: cli }],
  [401, "x", {}],
  [403, "narrow", { headers: { authorization: "Bearer readonly" } }],
  [404, "missing", { headers: cli }],
  [500, "bug", { headers: cli }],
  [503, "busy", { headers: cli }],
];

for (const [status, place, init] of REFUSALS) {
  headers(`are sent with ${status}`, async () => {
    const answer = await send(`/api/${place}/7`, init);
    assert.is(answer.status, status);
    hasHeaders(answer, `GET/api/${place}/:id`);
  });
}

headers("are sent with the 503 of a shed request", async () => {
  const first = send("/api/held/7", { headers: cli });
  const shed = await send("/api/x/7", { headers: cli });
  assert.is(shed.status, 503);
  hasHeaders(shed, "GET/api/x/:id");
  release();
  hasHeaders(await first, "GET/api/held/:id");
});

headers("are sent with the 504 after the time limit", async () => {
  const slow = old({ handle: () => new Promise(() => {}) });
  const handler = await openTestHandler([["/api/slow", { GET: slow }]], { env: { ...ENV, REQUEST_TIMEOUT_MS: "100" } });
  const late = await handler.send("/api/slow", { headers: cli });
  assert.is(late.status, 504);
  hasHeaders(late, "GET/api/slow");
});

headers("are sent at the alias without /api", async () => {
  for (const path of ["/auth/login", "/api/auth/login", "/auth/login/"]) {
    const answer = await send(path, jsonPost({}));
    assert.is(answer.status, 200);
    hasHeaders(answer, "POST/api/auth/login");
  }
  const refused = await send("/auth/login", jsonPost({}, cli));
  assert.is(refused.status, 401);
  hasHeaders(refused, "POST/api/auth/login");
});

headers("keep the Link headers of the response", async () => {
  const answer = await send("/api/linked/7", { headers: cli });
  const links = answer.headers.get("link")!.split(", ");
  assert.is(links[0], '</api/x/8>; rel="next"');
  assert.equal(links.map((link) => /rel="(\w+)"/.exec(link)?.[1]), ["next", "deprecation", "sunset"]);
});

headers("are sent for no other method or path", async () => {
  const requests = [
    ["/api/x/7", { method: "POST", headers: cli }, 200],
    ["/api/x/7", { method: "PUT", headers: cli }, 405],
    ["/api/x/7", { method: "OPTIONS" }, 204],
    ["/api/plain", { headers: cli }, 200],
    ["/api/x", { headers: cli }, 404],
  ] as const;
  for (const [path, init, status] of requests) {
    const answer = await send(path, init);
    assert.is(answer.status, status, path);
    for (const name of ["deprecation", "sunset", "link"]) assert.is(answer.headers.get(name), null, `${path} ${name}`);
  }
});

const LIMIT = { name: "calls", title: "So many calls", since: "2026-11-25", from: "2026-12-25", note: "Call less." };

notices("returns endpoints and limits, oldest announcement first", () => {
  const manifest: Manifest = [
    ["/api/b/:id/:rest{.+}", { GET: old(), DELETE: old({ deprecated: { ...OLD, since: "2026-11-20" } }) }],
    ["/api/a", { POST: old({ deprecated: undefined }) }],
  ];
  const found = collectAnnouncedChanges(manifest, [LIMIT]);
  assert.equal(found.map(({ id }) => id), [
    "endpoint DELETE /api/b/{id}/{rest} 2026-11-20T00:00:00.000Z",
    "limit calls",
    "endpoint GET /api/b/{id}/{rest} 2026-12-01T00:00:00.000Z",
  ]);
  assert.equal(found.map((notice) => getEffectiveDate(notice).toISOString()), [
    "2027-01-15T16:30:00.000Z",
    "2026-12-25T00:00:00.000Z",
    "2027-01-15T16:30:00.000Z",
  ]);
});

notices("postpones the effect to 30 days after this deployment's first announcement", () => {
  const manifest: Manifest = [["/api/a/:id", { GET: old(), POST: old({ deprecated: undefined }) }]];
  const [limit, endpoint] = collectAnnouncedChanges(manifest, [LIMIT]).map(({ id }) => id) as [string, string];
  const effects = (first: string) => {
    const at = new Date(first),
      later = postponeAnnouncedChanges(manifest, [LIMIT], new Map([[limit, at], [endpoint, at]]));
    const found = collectAnnouncedChanges(later.manifest, later.limits);
    assert.equal(found.map(({ id }) => id), [limit, endpoint]);
    return found.map((notice) => getEffectiveDate(notice).toISOString());
  };
  assert.equal(effects("2026-11-25T00:00:00Z"), ["2026-12-25T00:00:00.000Z", "2027-01-15T16:30:00.000Z"]);
  assert.equal(effects("2026-11-25T00:00:01Z"), ["2026-12-26T00:00:00.000Z", "2027-01-15T16:30:00.000Z"]);
  assert.equal(effects("2027-03-01T18:00:00Z"), ["2027-04-01T00:00:00.000Z", "2027-04-01T00:00:00.000Z"]);
  const [[, module]] = postponeAnnouncedChanges(manifest, [], new Map([[endpoint, new Date("2027-03-01")]]))
    .manifest as [
      Manifest[number],
    ];
  assert.is(module.GET!.deprecated!.sunset, "2027-03-31");
  assert.is(module.POST, manifest[0]![1].POST);
});

notices("throws for less than 30 days, to the second", () => {
  const collect = (since: string, sunset: string) =>
    collectAnnouncedChanges([["/api/x", { GET: old({ deprecated: { ...OLD, since, sunset } }) }]], []);
  assert.is(collect("2026-12-01T10:00:00Z", "2026-12-31T10:00:00Z").length, 1);
  assert.throws(
    () => collect("2026-12-01T10:00:00Z", "2026-12-31T09:59:59Z"),
    /GET \/api\/x must take effect at least 30 days/,
  );
  assert.throws(() => collect("2026-12-01", "soon"), /GET \/api\/x has an invalid date, soon/);
  assert.throws(
    () => collectAnnouncedChanges([], [{ ...LIMIT, from: "2026-12-24" }]),
    /The limit calls must take effect at least 30 days/,
  );
});

notices("throws for duplicate IDs", () => {
  assert.throws(
    () => collectAnnouncedChanges([], [LIMIT, { ...LIMIT, title: "Others" }]),
    /Two announcements have the same ID: limit calls/,
  );
});

headers.run();
notices.run();
