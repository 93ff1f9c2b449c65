/** Tests an overloaded event loop with two users: the one with more requests in flight is refused. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: Scene }>("an overloaded server");
test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

test("refuses the user with many requests in flight, and always answers the other", async ({ scene }) => {
  const clock = { now: 0, tick: () => {} }, end = Promise.withResolvers<void>();
  let held = 0;
  const slow = endpoint({
    summary: "Wait",
    access: signedInAccess,
    scope: "readonly",
    reply: okReply(v.object({})),
    handle: async () => {
      held++;
      await end.promise;
      return {};
    },
  });
  const server = openServer(scene.app, [...manifest, ["/api/slow", { GET: slow }]], {
    isSchedulerReady: () => true,
    lateness: {
      now: () => clock.now,
      every: (_, tick) => {
        clock.tick = tick;
        return () => {};
      },
    },
  });
  const heavy = await scene.as("hubAdmin", "readonly").credentials();
  const light = await scene.as("spokeAdmin", "readonly").credentials();
  const send = async (path: string, headers: Record<string, string>) => {
    const response = await server.request(new Request(new URL(path, "http://localhost:3000"), { headers }));
    await response.text();
    return response.status;
  };
  const waiting = Array.from({ length: 20 }, () => send("/api/slow", heavy));
  await until(() => held === 20);
  for (let i = 0; i < 3; i++) {
    clock.now += 1100;
    clock.tick();
  }
  const refused = await Promise.all(Array.from({ length: 10 }, () => send("/api/my-spokes", heavy)));
  assert.equal([...new Set(refused)], [503]);
  const answered = await Promise.all(Array.from({ length: 15 }, () => send("/api/my-spokes", light)));
  assert.equal([...new Set(answered)], [200]);
  end.resolve();
  assert.equal([...new Set(await Promise.all(waiting))], [200]);
  assert.is(await send("/api/my-spokes", heavy), 200); // few are in flight now, however late the event loop is
});

test.run();
