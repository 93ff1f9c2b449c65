import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY } from "#lib/base/time.ts";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { PASSWORD } from "#test/support/users.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture; url: string }>("wheelwright tokens");
test.before(async (context) => {
  context.stage = await openStage();
  context.url = context.stage.proxy.url.replace(/\/$/, "");
  context.cli = await openCliFixture();
  await context.cli.run(["login", context.url, ...SIGN_IN], `${PASSWORD}\n`);
});
test.after(async ({ stage, cli }) => {
  await cli.close();
  await stage.close();
});

const SIGN_IN = ["--email", "hub-admin@example.org", "--password"];

test("creates a token that expires after 90 days by default", async ({ cli }) => {
  const create = async (...words: string[]) => {
    const { status, out, err } = await cli.run(["tokens", "create", "x", ...SIGN_IN, ...words], `${PASSWORD}\n`);
    assert.is(status, 0, err);
    assert.match(out, /^ww_cli_\w{49}\n$/);
    const id = /Created token (tok_\w+)\. /.exec(err)![1];
    const { createdAt, expiresAt } = (await cli.json("tokens", "list")).find((one: { id: string }) => one.id === id);
    return { err, days: expiresAt && Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / DAY) };
  };
  const usual = await create();
  assert.is(usual.days, 90);
  assert.match(usual.err, /It expires on \d{4}-\d\d-\d\d\. Store it now/);
  assert.is((await create("--expires", "7d")).days, 7);
  const never = await create("--expires", "never");
  assert.is(never.days, null);
  assert.match(never.err, "It never expires. Store it now");
});

test("limits a token to hubs", async ({ cli, stage }) => {
  const words = ["tokens", "create", "limited", ...SIGN_IN, "--hub"];
  const { status, err } = await cli.run([...words, "north", "--json"], `${PASSWORD}\n`);
  assert.is(status, 0, err);
  const [token] = await cli.json("tokens", "list", "--limit", "1");
  assert.equal([token.name, token.federationIds], ["limited", [stage.scene.hub]]);
  const unknown = await cli.run([...words, "nowhere"], `${PASSWORD}\n`);
  assert.is(unknown.status, 3);
  assert.match(unknown.err, "There is no hub nowhere, or you have no access to it");
});

test.run();
