/** Tests one caller that fills the server with waiting work: the cluster hangs, and hundreds of dry runs call it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Attack, openAttack } from "#test/support/attack.ts";
import { connect } from "#test/support/server.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ attack: Attack }>("overload by one caller");
test.before(async (context) => {
  context.attack = await openAttack({ env: { MAX_IN_FLIGHT: "64" } });
});
test.after(({ attack }) => attack.close());

test("is shed while other callers are served", async ({ attack }) => {
  const { call, token } = attack, other = await attack.person("ben", true);
  const spoke = await attack.spoke(await attack.hub("north"), "oak");
  await attack.becomes(spoke, "active");
  attack.replicas[0]!.cluster.stall();
  let shed = 0;
  const greedy = Array.from({ length: 100 }, () => {
    const pending = call(token, "POST", `/api/spokes/${spoke}/actions?dryRun=true`, { action: "suspend" });
    return pending.then(({ status }) => {
      if (status === 503) shed++;
    }, () => {});
  });
  await until(() => shed === 84); // 16 of 100 requests, a quarter of 64, wait for the cluster
  for (let i = 0; i < 10; i++) {
    assert.is((await call(other.token.plaintext, "GET", `/api/spokes/${spoke}`)).status, 200);
    assert.ok(await attack.isReady());
  }
  await attack.replicas[0]!.cluster.heal();
  await Promise.all(greedy);
});

test("leaves database connections for others while it waits for a row lock", async ({ attack }) => {
  const { call, token, db } = attack, other = await attack.person("eve", true), hub = await attack.hub("south");
  const isActive = async () =>
    (await db.sql("select 1 from federations where id = $1 and state = 'active'", [hub])).length;
  await until(async () => await isActive() > 0); // by now no job waits for its row either
  const sql = connect(db.url, 1);
  try {
    await sql.begin(async (tx) => {
      await tx`select from federations where id = ${hub} for update`;
      const greedy = Array.from(
        { length: 16 },
        () => call(token, "PATCH", `/api/federations/${hub}`, { name: "Mine" }),
      );
      await until(async () => (await waiting(attack)).length === 3); // of the four connections for requests
      for (let i = 0; i < 10; i++) {
        assert.is((await call(other.token.plaintext, "GET", `/api/federations/${hub}`)).status, 200);
      }
      return { greedy };
    }).then(({ greedy }) => Promise.all(greedy));
  } finally {
    await sql.end();
  }
});

test.run();

/** Returns the server's statements that wait for a lock. */
async function waiting({ db }: Attack): Promise<readonly unknown[]> {
  return await db.sql(
    "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
}
