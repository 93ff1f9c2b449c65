import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createLog, SILENT_LOG } from "#lib/base/log.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { openClaimRounds } from "#lib/scheduler/rounds.ts";

const test = suite("openClaimRounds");
const tenure: ReplicaLease = { signal: new AbortController().signal, throwIfLapsed() {} };

/** Opens rounds that record each claim and takeover. The test decides how these end. */
function open(log = SILENT_LOG) {
  const begun: string[] = [];
  let end = Promise.withResolvers<void>();
  const note = (what: string) => async () => {
    begun.push(what);
    end = Promise.withResolvers();
    await end.promise;
    return null;
  };
  const rescue = note("rescue");
  const rounds = openClaimRounds({
    log,
    currentLease: () => tenure,
    claim: note("claim"),
    takeOver: async () => void await rescue(),
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    rounds,
    begun,
    turn,
    answer: async () => (end.resolve(), await turn()),
    fail: async (why = "cut") => (end.reject(new Error(why)), await turn()),
  };
}

test("runs rounds one after another, and merges requests", async () => {
  const { rounds, begun, answer } = open();
  rounds.requestClaim();
  rounds.onHeartbeat();
  rounds.requestClaim();
  rounds.onHeartbeat();
  assert.equal(begun, ["claim"]);
  await answer();
  assert.equal(begun, ["claim", "rescue"]);
  await answer();
  assert.equal(begun, ["claim", "rescue", "claim"]);
  await answer();
  assert.equal([begun.length, rounds.healthy()], [3, true]);
  await rounds.close();
});

test("claims at the first heartbeat after a failed round, and not at later ones", async () => {
  const { rounds, begun, answer, fail } = open();
  rounds.requestClaim();
  await fail();
  assert.is(rounds.healthy(), false);
  rounds.onHeartbeat();
  await answer();
  await answer();
  rounds.onHeartbeat();
  await answer();
  assert.equal([begun, rounds.healthy()], [["claim", "rescue", "claim", "rescue"], true]);
  await rounds.close();
});

test("logs one warning per outage, whatever the error", async () => {
  const lines: string[] = [];
  const { rounds, begun, answer, fail } = open(
    createLog({ level: "warn", format: "json", write: (line) => void lines.push(line) }),
  );
  rounds.requestClaim();
  await fail("the connection was cut");
  rounds.onHeartbeat();
  await answer(); // it reads who beats
  await fail("the database takes no writes");
  rounds.onHeartbeat();
  await answer();
  await fail("the database takes no writes");
  assert.equal(begun, ["claim", "rescue", "claim", "rescue", "claim"]);
  assert.equal(lines.map((line) => JSON.parse(line).message), ["Cannot poll the job queue; trying again"]);
  await rounds.close();
});

test("keeps a request that arrives at the end of a round", async () => {
  for (let step = 0; step < 12; step++) {
    let claims = 0;
    const rounds = openClaimRounds({
      log: SILENT_LOG,
      currentLease: () => tenure,
      async claim() {
        if (++claims === 1) void later(step, () => rounds.requestClaim());
        return await Promise.resolve(null);
      },
      takeOver: () => Promise.resolve(),
    });
    rounds.requestClaim();
    await new Promise<void>((resolve) => setImmediate(resolve));
    assert.is(claims, 2, `asked ${step} steps after the round began`);
    await rounds.close();
  }
});

/** Calls back after this many microtasks, before any timer or network event. */
async function later(steps: number, call: () => void): Promise<void> {
  for (let i = 0; i < steps; i++) await null;
  call();
}

test("starts nothing after it was closed, and waits for the current round", async () => {
  const { rounds, begun, answer, turn } = open();
  rounds.requestClaim();
  let closed = false;
  const closing = rounds.close().then(() => closed = true);
  rounds.requestClaim();
  rounds.onHeartbeat();
  await turn();
  assert.is(closed, false);
  await answer();
  await closing;
  assert.equal([begun, rounds.healthy()], [["claim"], false]);
});

test.run();
