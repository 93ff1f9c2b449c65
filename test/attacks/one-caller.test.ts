/** One caller fills the server with work that waits: the cluster hangs, and hundreds of dry runs ask it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Attack, openAttack } from "#test/support/attack.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ attack: Attack }>("One caller's work");
test.before(async (context) => {
  context.attack = await openAttack({ env: { MAX_IN_FLIGHT: "64" } });
});
test.after(({ attack }) => attack.close());

test("has a share of the server, and others have the rest", async ({ attack }) => {
  const { call, token } = attack, other = await attack.person("ben", true);
  const spoke = await attack.spoke(await attack.hub("north"), "oak");
  await attack.becomes(spoke, "active");
  attack.replicas[0]!.cluster.stall();
  let shed = 0;
  const greedy = Array.from({ length: 100 }, () => {
    const asked = call(token, "POST", `/api/spokes/${spoke}/actions?dryRun=true`, { action: "suspend" });
    return asked.then(({ status }) => {
      if (status === 503) shed++;
    }, () => {});
  });
  await until(() => shed === 84); // a quarter of 64 waits for the cluster
  for (let i = 0; i < 10; i++) {
    assert.is((await call(other.token.plaintext, "GET", `/api/spokes/${spoke}`)).status, 200);
    assert.ok(await attack.isReady());
  }
  await attack.replicas[0]!.cluster.heal();
  await Promise.all(greedy);
});

test.run();
