import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  changeAdmin,
  NO_ABORT,
  openSignInScene,
  SIGN_IN_JOB,
  type SignInScene,
} from "#test/lib/domains/spokes/sign-in-scene.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ porch: SignInScene }>("POST /api/spokes/{id}/sign-in-link");
test.before(async (context) => void (context.porch = await openSignInScene()));
test.after.each(async ({ porch }) => {
  porch.work.simulator.faults.clear();
  await porch.work.db.shiftClock(0);
});
test.after(({ porch }) => porch.close());

test("answers 201 with a link of the site, with the site's expiry", async ({ porch }) => {
  const { status, body, headers } = await porch.requestLink();
  const { token, requested } = porch.account()!.reset!;
  const { domain } = await porch.work.row(porch.id);
  assert.is(status, 201);
  assert.equal(body, {
    url: `http://${domain}/login/forgot_password.php?token=${token}`,
    expiresAt: new Date((requested + 1800) * 1000).toISOString(),
  });
  assert.equal([headers.get("cache-control"), headers.get("location")], ["no-store", null]);
  assert.equal((await porch.listAuditEvents()).at(-1), {
    actorId: porch.scene.people.hubAdmin.id,
    metadata: { slug: "algebra", expiresAt: body.expiresAt },
  });
  await porch.withDatabaseChange(
    (database) => ({ ...database, config: { ...database.config, pwresettime: "60" } }),
    async () => {
      const { body } = await porch.requestLink();
      assert.is(body.expiresAt, new Date((porch.account()!.reset!.requested + 60) * 1000).toISOString());
    },
  );
});

test("replaces the earlier link, as a new password does", async ({ porch }) => {
  const first = (await porch.requestLink()).body.url, second = (await porch.requestLink()).body.url;
  assert.is.not(first, second);
  assert.ok(second.endsWith(porch.account()!.reset!.token));
  const space = await porch.space(), { blueprintInputs: inputs } = await porch.work.row(porch.id);
  const job = porch.work.app.blueprint.jobObject(inputs, "password", "9000");
  assert.ok((await space.run(job, { ...NO_ABORT, timeout: 20_000 })).succeeded);
  assert.is(porch.account()!.reset, undefined);
});

test("is for everyone who may act on the spoke, by session or cli token", async ({ porch }) => {
  for (const who of ["operator", "hubAdmin", "spokeAdmin"] as const) {
    for (const credential of ["session", "cli"] as const) {
      assert.is((await porch.requestLink(who, credential)).status, 201, who);
    }
    for (const credential of ["provisioning", "readonly"] as const) {
      const { status, body } = await porch.requestLink(who, credential);
      assert.equal([status, body.error], [403, "Forbidden"]);
    }
  }
  const before = (await porch.listAuditEvents()).length;
  assert.is((await porch.requestLink("stranger")).status, 404);
  assert.is((await porch.requestLink("stranger", "cli")).status, 404);
  assert.is((await porch.requestLink("nobody")).status, 401);
  assert.is((await porch.listAuditEvents()).length, before);
});

test("is 409 while the site is unavailable, with a hint, and does not call the cluster", async ({ porch }) => {
  const { sql } = porch.work.db, before = porch.countCreatedJobs();
  const message = async () => {
    const { status, body } = await porch.requestLink("spokeAdmin");
    assert.equal([status, body.code], [409, "spoke_state"]);
    return body.message.replace("Cannot create a sign-in link for a spoke ", "");
  };
  for (
    const [state, next] of [
      ["provisioning", "wait until it is active"],
      ["suspended", "resume it first"],
      ["failed", "fix the failure, and retry the spoke"],
      ["removing", "the spoke will be deleted"],
    ] as const
  ) {
    await sql("update spokes set state = $2 where id = $1", [porch.id, state]);
    assert.is(await message(), `that is ${state}; ${next}`);
  }
  await sql("update spokes set state = 'active', maintenance = true where id = $1", [porch.id]);
  assert.is(await message(), "in maintenance mode; turn maintenance mode off first");
  await sql("update spokes set maintenance = false where id = $1", [porch.id]);
  await porch.scene.as("operator").post(`/api/spokes/${porch.id}/actions`, { action: "backup" });
  assert.is((await porch.requestLink()).status, 201, "a backup does not prevent sign-in");
  await porch.scene.as("operator").post(`/api/spokes/${porch.id}/actions`, { action: "restart" });
  assert.is(await message(), "that is updating; wait until its restart has ended");
  await sql("update spokes set state = 'active' where id = $1", [porch.id]);
  assert.is(await message(), "that is active; wait until its restart has ended", "queued operations count too");
  await sql("update jobs set state = 'succeeded', finished_at = wheelwright_now() where spoke_id = $1", [porch.id]);
  assert.is(porch.countCreatedJobs(), before + 1, "only one Job in addition to the backup");
  assert.is((await porch.requestLink()).status, 201);
});

test("is 409 if the account cannot use a link, with its own message, and leaves no Job", async ({ porch }) => {
  const { database, listAuditEvents } = porch,
    before = (await listAuditEvents()).length,
    { accounts, config } = database();
  for (
    const [change, why] of [
      [changeAdmin({ suspended: true }), /the site's admin account is suspended; another site administrator must/],
      [changeAdmin({ auth: "nologin" }), /not allowed to sign in/],
      [changeAdmin({ auth: "oauth2" }), /signs in with an external service/],
      [() => ({ ...database(), accounts: {} }), /the site's admin account was renamed or deleted/],
      [
        () => ({
          ...database(),
          accounts: accounts!,
          config: { ...config, forgottenpasswordurl: "https://x.example" },
        }),
        /redirects forgotten passwords to another page; .* or run reset-admin-password$/,
      ],
    ] as const
  ) {
    await porch.withDatabaseChange(change, async () => {
      const { status, body } = await porch.requestLink();
      assert.equal([status, body.code], [409, "admin_unusable"]);
      assert.match(body.message, why);
    });
  }
  assert.is((await listAuditEvents()).length, before);
  assert.equal(porch.objects("Job").filter(({ metadata }) => metadata.name === SIGN_IN_JOB.name), []);
});

test("appears in no table, log line, object or pod log", async ({ porch }) => {
  const { work, scene, logLines } = porch, secrets: string[] = [];
  const path = `/api/spokes/${porch.id}/sign-in-link`;
  for (let i = 0; i < 2; i++) { // an idempotency key is ignored
    const { status, body } = await scene.as("operator").post(path, undefined, { "idempotency-key": "again" });
    assert.is(status, 201);
    secrets.push(new URL(body.url).searchParams.get("token")!);
  }
  work.simulator.faults.answer(403, { method: "DELETE", path: "/jobs/sign-in-link" });
  const { body } = await scene.as("operator").post(path);
  secrets.push(new URL(body.url).searchParams.get("token")!);
  assert.is(new Set(secrets).size, 3);

  const tables = await work.db.sql(
    "select table_name as name from information_schema.tables where table_schema = current_schema()",
  );
  assert.ok(tables.length > 10);
  for (const { name } of tables) {
    const text = JSON.stringify(await work.db.sql(`select to_jsonb(t) as row from "${name}" as t`));
    for (const secret of secrets) assert.not.ok(text.includes(secret), String(name));
  }
  const logText = logLines.join("");
  assert.match(logText, "POST /api/spokes/:spokeId/sign-in-link");
  assert.match(logText, "Could not delete the Job for a sign-in link");
  const objects = JSON.stringify(["Job", "Pod", "Secret", "ConfigMap", "Event"].flatMap(porch.objects));
  const { log } = await (await porch.space()).follow(SIGN_IN_JOB.name, { ...NO_ABORT, timeout: 20_000 });
  assert.match(log.join("\n"), /^sealed: [\w+/]{100,}=*$/, "the Job that was not deleted logged the sealed link");
  for (const secret of secrets) assert.not.ok((logText + objects + log.join("\n")).includes(secret));
  work.simulator.faults.clear();
  const left = porch.objects("Job").find(({ metadata }) => metadata.name === SIGN_IN_JOB.name)!;
  await (await porch.space()).delete(SIGN_IN_JOB, left.metadata.uid!, NO_ABORT);
  await until(() => !porch.objects("Job").some(({ metadata }) => metadata.name === SIGN_IN_JOB.name));
});

test("is limited to ten an hour per user, with the time of the next", async ({ porch }) => {
  await porch.work.db.shiftClock(2 * 3_600_000);
  const before = (await porch.listAuditEvents()).length;
  for (let i = 0; i < 10; i++) assert.is((await porch.requestLink("spokeAdmin")).status, 201);
  const made = porch.countCreatedJobs();
  const { status, body, headers } = await porch.requestLink("spokeAdmin", "cli");
  assert.equal([status, body.code, body.message], [
    429,
    "too_many_links",
    "You created 10 sign-in links within the last hour; wait before you create another link",
  ]);
  const seconds = Number(headers.get("retry-after"));
  assert.ok(seconds > 3000 && seconds <= 3600, String(seconds));
  assert.equal([(await porch.listAuditEvents()).length, porch.countCreatedJobs()], [before + 10, made]);
  assert.is((await porch.requestLink("hubAdmin")).status, 201);
  await porch.work.db.shiftClock(2 * 3_600_000 + seconds * 1000);
  assert.is((await porch.requestLink("spokeAdmin")).status, 201);
});

test.run();
