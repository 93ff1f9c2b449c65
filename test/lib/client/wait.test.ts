import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Wheelwright } from "#lib/client/client.ts";
import { openStage, refused, type Stage } from "#test/lib/client/stage.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ stage: Stage }>("waitForState");

test.before(async (context) => void (context.stage = await openStage()));
test.after(({ stage }) => stage.close());

let count = 0;
async function begin(client: Wheelwright): Promise<string> {
  const spoke = await client.createFederationSpoke({ federationId: "north" }, { slug: `site-${count++}` });
  return spoke.operation!.id;
}

const end = ({ scene }: Stage, id: string, state: string, failure: object | null = null) =>
  updateRows(scene.db, "jobs", { state, finishedAt: NOW, failure: failure && JSON.stringify(failure) }, { id });

test("resolves when the operation succeeds, and downloads only changes", async ({ stage }) => {
  let polls = 0, id = "";
  const statuses: number[] = [];
  const client = await stage.as("hubAdmin", {
    pause: async () => {
      if (++polls === 3) await end(stage, id, "succeeded");
    },
    fetch: async (...asked) => {
      const answer = await fetch(...asked);
      statuses.push(answer.status);
      return answer;
    },
  });
  id = await begin(client);
  const states: string[] = [];
  const done = await client.waitFor({ id }, { onProgress: ({ state }) => void states.push(state) });
  assert.equal([done.id, done.state], [id, "succeeded"]);
  assert.equal(states, ["queued", "succeeded"]);
  assert.equal(statuses, [201, 200, 304, 304, 200]);
});

test("rejects with the failure and the operation", async ({ stage }) => {
  const client = await stage.as("hubAdmin"), id = await begin(client);
  const failure = { code: "image_missing", message: "The image is not there", step: "start", fault: "operator" };
  await end(stage, id, "failed", { ...failure, hint: "name another version", log: ["no such image"], events: [] });
  const error = await refused(client.waitFor(id));
  assert.equal([error.code, error.message], [
    "operation_failed",
    "provision failed: The image is not there; name another version",
  ]);
  assert.equal([error.operation?.error?.code, error.operation?.error?.log], ["image_missing", ["no such image"]]);
  const other = await begin(client);
  await end(stage, other, "cancelled");
  assert.is((await refused(client.waitFor(other))).code, "operation_cancelled");
});

test("rejects after the timeout, and the operation continues", async ({ stage }) => {
  const client = await stage.as("hubAdmin"), id = await begin(client);
  let known: string | undefined; // on a slow machine, no response may arrive before the timeout
  const error = await refused(client.waitFor(id, { timeout: 500, onProgress: ({ state }) => void (known = state) }));
  assert.equal([error.code, error.operation?.state], ["timed_out", known]);
  assert.match(error.message, /is still running after/);
  assert.is((await client.getOperation({ operationId: id })).state, "queued");
});

test("waits for an unavailable server, and ends on abort", async ({ stage }) => {
  const { proxy } = stage, abort = new AbortController();
  let id = "", polls = 0, healed: Promise<void> | undefined;
  const client = await stage.as("hubAdmin", {
    async pause() {
      if (++polls === 1) proxy.refuse(), proxy.cut();
      if (polls < 9) return;
      await (healed ??= proxy.heal());
      if (polls > 12) await end(stage, id, "succeeded");
    },
  });
  id = await begin(client);
  assert.is((await client.waitFor(id)).state, "succeeded");
  assert.ok(healed);
  const other = await begin(client), onProgress = () => abort.abort("enough");
  const pause = { pause: undefined };
  const waiting = (await stage.as("hubAdmin", pause)).waitFor(other, { signal: abort.signal, onProgress });
  assert.is(await waiting.catch((error: unknown) => error), "enough");
});

test("rejects for a missing operation", async ({ stage }) => {
  assert.is((await refused((await stage.as("hubAdmin")).waitFor("op_none"))).code, "operation_missing");
});

test.run();
