/** Rollouts on the command line. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";
import { updateRows } from "#test/support/rows.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture }>("wheelwright rollouts");

test.before(async (context) => {
  const { scene, proxy } = context.stage = await openStage();
  const { plaintext } = await createTestToken(scene.db, scene.people.operator, "cli");
  context.cli = await openCliFixture({ WHEELWRIGHT_URL: proxy.url, WHEELWRIGHT_TOKEN: plaintext });
  await updateRows(scene.db, "spokes", { state: "active" });
});
test.after(async ({ stage, cli }) => {
  await cli.close();
  await stage.close();
});

test("a dry run shows the plan", async ({ cli }) => {
  const line = "rollouts create restart --hub north --canary 2 --watch 90s --max-failures 3 --dry-run".split(" ");
  const { status, out } = await cli.run([...line, "--window", "sat,SUN 22:00-05:00 Europe/Berlin"]);
  assert.is(status, 0);
  assert.match(out, /canary\s+2 spokes, watched for 2 minutes/);
  assert.match(out, /window\s+sat,sun 22:00-05:00 Europe\/Berlin/);
  assert.match(out, /north\/oak\s+0/);
});

test("is created, shown, paused, resumed, aborted and listed", async ({ cli }) => {
  const created = await cli.run(["rollouts", "create", "restart", "--spoke", "north/oak"]);
  assert.match(created.err, /Rollout rol_\w+ changes 1 spoke in 1 wave/);
  const [id = ""] = /rol_\w+/.exec(created.err)!;
  assert.match((await cli.run(["rollouts", "show", id])).out, /north\/oak\s+0\s+waiting/);
  assert.match((await cli.run(["rollouts", "pause", id])).err, /is paused/);
  const watched = await cli.run(["rollouts", "watch", id]);
  assert.is(watched.status, 1);
  assert.match(watched.err, /is paused\. Paused by /);
  assert.match((await cli.run(["rollouts", "resume", id, "--skip-failed"])).err, /continues/);
  assert.match((await cli.run(["rollouts", "abort", id])).err, /was aborted/);
  assert.match((await cli.run(["rollouts", "abort", id])).err, /\(rollout_state\)/);
  const listed = JSON.parse((await cli.run(["rollouts", "list", "--json=id,state"])).out);
  assert.equal(listed, [{ id, state: "aborted" }]);
});

test("refuses a window and counts that it cannot read", async ({ cli }) => {
  for (const [option, value] of [["--window", "at night"], ["--canary", "few"], ["--max-unavailable", "-1"]] as const) {
    const { status, err } = await cli.run(["rollouts", "create", "restart", "--all", `${option}=${value}`]);
    assert.is(status, 2);
    assert.match(err, `${option} must be`);
  }
  for (
    const [line, message] of [["upgrade --all", "needs --to VERSION"], ["resize --all", "needs --size SIZE"]] as const
  ) {
    assert.match((await cli.run(["rollouts", "create", ...line.split(" ")])).err, message);
  }
  assert.match((await cli.run(["rollouts", "create", "restart"])).err, "or use --all");
  assert.match(
    (await cli.run(["rollouts", "create", "destroy", "--all"])).err,
    /action must be one of upgrade, resize/,
  );
});

test.run();
