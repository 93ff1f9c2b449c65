import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { openTestHandler } from "#test/support/handler.ts";

const test = suite("createCreationQueues");

/** A server whose creations in one hub call this function when it is their turn. */
async function open(
  work: (query: { readonly name?: string | undefined }) => Promise<void>,
  env: Record<string, string> = {},
) {
  const create = endpoint({
    summary: "Create",
    access: publicAccess,
    scope: "public",
    queued: true,
    query: v.object({ name: v.optional(v.string()) }),
    reply: okReply(v.object({ made: v.string() })),
    handle: async ({ query, runInHubQueue }) => {
      await runInHubQueue("fed_1", () => work(query));
      return { made: query.name ?? "" };
    },
  });
  const slow = endpoint({
    summary: "Never ends",
    access: publicAccess,
    scope: "public",
    reply: okReply(v.object({})),
    handle: () => new Promise<never>(() => {}),
  });
  return await openTestHandler(
    [["/create", { POST: create as AnyEndpoint }], ["/slow", { GET: slow as AnyEndpoint }]],
    {
      env,
    },
  );
}

const POST = { method: "POST" };

test("does not count waiting against the time limit of a request", async () => {
  const end = Promise.withResolvers<void>(), begun: string[] = [];
  const { send } = await open(async ({ name }) => {
    begun.push(name!);
    if (name === "first") await end.promise;
  }, { REQUEST_TIMEOUT_MS: "100" });
  const first = send("/create?name=first", POST), second = send("/create?name=second", POST);
  assert.is((await first).status, 504); // its own work counts
  assert.is((await send("/slow")).status, 504); // so the second one has waited longer than its time limit
  assert.equal(begun, ["first"]);
  end.resolve();
  assert.is((await second).status, 200);
});

test("retries work that found no free connection, before later requests", async () => {
  const begun: string[] = [];
  let busy = true;
  const { send } = await open(({ name }) => {
    begun.push(name!);
    if (!busy) return Promise.resolve();
    busy = false;
    return Promise.reject(new Fault("unavailable", "database_busy", "All are in use"));
  });
  const answers = await Promise.all(["a", "b"].map((name) => send(`/create?name=${name}`, POST)));
  assert.equal(answers.map(({ status }) => status), [200, 200]);
  assert.is(begun.filter((name) => name === "a").length, 2);
});

test("is not limited by MAX_IN_FLIGHT", async () => {
  const end = Promise.withResolvers<void>();
  const { send } = await open(() => end.promise, { MAX_IN_FLIGHT: "1" });
  const all = Array.from({ length: 50 }, (_, i) => send(`/create?name=${i}`, POST));
  end.resolve();
  assert.equal([...new Set((await Promise.all(all)).map(({ status }) => status))], [200]);
});

test("rejects other failures without a retry", async () => {
  const { send } = await open(() => Promise.reject(new Fault("conflict", "slug_taken", "Taken")));
  assert.is((await send("/create", POST)).status, 409);
});

test.run();
