/** Tests event streams of the real server over a network that is cut and frozen. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { FollowOptions, StreamEvent, Wheelwright } from "#lib/client/client.ts";
import { answer, hasty, openPuppet, openStage, refused, type Stage } from "#test/lib/client/stage.ts";
import { connect } from "#lib/client/client.ts";
import { emitEvent } from "#test/lib/events/open-test-stream.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ stage: Stage }>("openHubEventStream");

test.before.each(async (context) => void (context.stage = await openStage()));
test.after.each(({ stage }) => stage.close());

const STATES = ["active", "failed", "provisioning"];

/** Creates `count` events, one after the other. */
async function emitMany({ scene: { db, hub, spoke } }: Stage, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await emitEvent(db, hub, STATES[i % 3]!, spoke);
}

/** Follows from the first event until `count` events were received. */
async function take(client: Wheelwright, count: number, options: FollowOptions, look = (_: StreamEvent) => {}) {
  const numbers: number[] = [];
  for await (const event of client.followFederation({ federationId: "north", since: 0 }, options)) {
    look(event);
    if (numbers.push(Number(event.id)) === count) break;
  }
  return numbers;
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test("yields every event once, in order, across lost connections", async ({ stage }) => {
  const client = await stage.as("hubAdmin"), told = { cuts: 0, resumed: 0 };
  const options = { onDisconnect: () => void told.cuts++, onResume: () => void told.resumed++ };
  const emitting = emitMany(stage, 150);
  const numbers = await take(client, 150, options, ({ id }) => {
    if (Number(id) % 20 === 0) stage.proxy.cut();
  });
  await emitting;
  assert.equal(numbers, upTo(150));
  assert.ok(told.cuts > 3 && told.resumed > 3, JSON.stringify(told));
});

test("resumes once an unavailable server is back", async ({ stage }) => {
  const { proxy } = stage, cuts: string[] = [];
  let healed: Promise<void> | undefined;
  const client = await stage.as("hubAdmin", {
    pause: () => cuts.length < 3 ? Promise.resolve() : healed ??= proxy.heal(),
  });
  await emitMany(stage, 1);
  const numbers = await take(client, 4, { onDisconnect: ({ error }) => void cuts.push(error.code) }, ({ id }) => {
    if (id !== "1") return;
    proxy.refuse();
    proxy.cut();
    void emitMany(stage, 3);
  });
  assert.equal(numbers, upTo(4));
  assert.ok(cuts.length >= 3 && cuts.every((code) => code === "unreachable"), cuts.join());
});

test("treats a silent stream as lost, and reports each resumption once", async ({ stage }) => {
  const client = await stage.as("hubAdmin"), cuts: string[] = [];
  let resumed = 0;
  const options: FollowOptions = {
    silence: 400,
    onDisconnect: ({ error }) => void cuts.push(error.message),
    onResume: () => void resumed++,
  };
  await emitMany(stage, 2);
  const numbers = await take(client, 5, options, ({ id }) => {
    if (id !== "2") return;
    stage.proxy.freeze();
    void emitMany(stage, 3);
  });
  assert.equal(numbers, upTo(5));
  assert.match(cuts[0]!, "no data for");
  assert.ok(resumed >= 1 && resumed <= cuts.length, `${resumed} resumptions after ${cuts.length} losses`);
});

test("ends without an error when its signal aborts", async ({ stage }) => {
  const client = await stage.as("operator"), abort = new AbortController(), seen: string[] = [];
  await emitMany(stage, 1);
  for await (const event of client.followFederation({ federationId: "north" }, { signal: abort.signal })) {
    seen.push(event.type);
    abort.abort();
  }
  assert.equal(seen, ["SpokeUpdateActive"]);
});

test("ends when the hub is removed, even if the connection is lost then", async ({ stage }) => {
  const { scene: { db, hub }, proxy } = stage, client = await stage.as("operator");
  await emitMany(stage, 1);
  const open = () => client.followFederation({ federationId: hub });
  const streams = [open(), open()] as const;
  for (const events of streams) await events.next();
  await updateRows(db, "spokes", { state: "removed", removedAt: NOW });
  await updateRows(db, "federations", { state: "removed", removedAt: NOW });
  await emitEvent(db, hub, "removed");
  const [whole, cut] = streams;
  const next = async (events: typeof whole) => (await events.next()).value?.type;
  assert.equal([await next(whole), await next(whole), await next(whole)], [
    "FederationUpdateRemoved",
    "StreamEnd",
    undefined,
  ]);
  assert.is(await next(cut), "FederationUpdateRemoved");
  proxy.cut();
  for await (const { type } of cut) assert.is(type, "StreamEnd"); // it may arrive before the cut
});

test("rejects for a revoked token and a missing hub", async ({ stage }) => {
  const client = await stage.as("hubAdmin"), [token] = await client.listTokens();
  await emitMany(stage, 1);
  const events = client.followFederation({ federationId: "north" });
  await events.next();
  await client.deleteToken({ tokenId: token!.id });
  assert.is((await refused(events.next())).statusCode, 401);
  const other = await stage.as("hubAdmin");
  assert.is((await refused(other.followFederation({ federationId: "south" }).next())).code, "federation_missing");
});

test("gives up after the given timeout", async ({ stage }) => {
  const { proxy } = stage, client = await stage.as("hubAdmin");
  await emitMany(stage, 1);
  const events = client.followFederation({ federationId: "north" }, { timeout: 0 });
  await events.next();
  proxy.refuse();
  proxy.cut();
  assert.is((await refused(events.next())).code, "unreachable");
});

const event = (id: number, type = "SpokeUpdateActive") =>
  `id: ${id}\nevent: ${type}\ndata: {"id":"${id}","type":"${type}","at":"","federationId":"fed_1","state":"active"}\n\n`;
const stream = (...frames: string[]) => answer("200 OK", frames.join("")).replace("text/html", "text/event-stream");

test("skips repeated events, and continues at a reset", async () => {
  const puppet = await openPuppet([
    stream(event(7), event(8), "retry: 1500\n\n"),
    stream(event(8), event(9)),
    stream(event(2, "StreamReset"), event(3), event(4, "StreamEnd")),
  ]);
  const client = connect({ url: puppet.url, ...hasty }), waits: number[] = [], ids: string[] = [];
  const options: FollowOptions = { onDisconnect: ({ wait }) => void waits.push(wait) };
  for await (const { id } of client.followFederation({ federationId: "north" }, options)) ids.push(id);
  assert.equal(ids, ["7", "8", "9", "2", "3", "4"]);
  assert.equal(puppet.asked.map((head) => /last-event-id: (\d+)/i.exec(head)?.[1]), [undefined, "8", "9"]);
  assert.is(waits[0], 1500);
  await puppet.close();
});

test("yields an interrupted event complete after reconnecting", async () => {
  const puppet = await openPuppet([
    stream(event(1), event(2).slice(0, -20)),
    stream(event(2), event(2, "StreamEnd")),
  ]);
  const client = connect({ url: puppet.url, ...hasty }), ids: string[] = [];
  for await (const { id } of client.followFederation({ federationId: "north" })) ids.push(id);
  assert.equal(ids, ["1", "2", "2"]);
  await puppet.close();
});

test.run();
