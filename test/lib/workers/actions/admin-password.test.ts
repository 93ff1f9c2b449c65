import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FenceLostError } from "#lib/jobs/fence.ts";
import type { MoodleAccount } from "#lib/dev/simulator/programs/moodle/site.ts";
import { resetAdminPassword } from "#lib/workers/actions/admin-password.ts";
import { rejection, until } from "#test/support/until.ts";
import { auditsOf, CALL, type Clinic, holderOf, openClinic } from "./scene.ts";
import { deleteAsAdmin } from "#test/support/service-account.ts";

const ACTION = "reset-admin-password", BEFORE = "ADMIN_PASSWORD_BEFORE";

const test = suite<{ clinic: Clinic }>(ACTION);
test.before(async (context) => void (context.clinic = await openClinic()));
test.before.each(({ clinic }) => clinic.scene.simulator.faults.clear());
test.after(({ clinic }) => clinic.close());

function secret(clinic: Clinic): Record<string, string> {
  const { data } = clinic.objects("Secret").find(({ metadata }) => metadata.name === "admin")!;
  return Object.fromEntries(Object.entries<string>(data).map(([key, value]) => [key, atob(value)]));
}

function account(clinic: Clinic): MoodleAccount {
  return clinic.site().database!.accounts!["admin"]!;
}

function change(clinic: Clinic, to: Partial<MoodleAccount>): void {
  const { database, saveDatabase } = clinic.site(), accounts = database!.accounts!;
  saveDatabase({ ...database!, accounts: { ...accounts, admin: { ...account(clinic), ...to } } });
}

function agree(clinic: Clinic): boolean {
  return secret(clinic)["ADMIN_PASSWORD"] === account(clinic).password;
}

test("sets a new password in Secret and site, ends all sessions, and names the Secret", async ({ clinic }) => {
  assert.ok(agree(clinic));
  const before = secret(clinic)["ADMIN_PASSWORD"];
  change(clinic, { sessions: 3 });
  const row = await clinic.row();
  const { state, progress, id } = await clinic.does(ACTION);
  assert.is(state, "succeeded");
  assert.is.not(secret(clinic)["ADMIN_PASSWORD"], before);
  assert.match(secret(clinic)["ADMIN_PASSWORD"]!, /^[\w-]{32}$/);
  assert.equal([agree(clinic), account(clinic).sessions, secret(clinic)[BEFORE]], [true, 0, undefined]);
  assert.equal(progress["notes"], [
    `The new password is in the Secret "admin": kubectl get secret admin -n ${clinic.namespace} -o yaml`,
  ]);
  const after = await clinic.row();
  assert.equal([after.state, after.updatedAt], ["active", row.updatedAt]);
  const audits = (await auditsOf(clinic)).filter(({ metadata }) => metadata["operationId"] === id);
  assert.equal(audits.map(({ kind }) => kind), ["spoke_actioned", "spoke_action_succeeded"]);
});

test("keeps the previous password until the site has the new one", async ({ clinic }) => {
  const before = secret(clinic)["ADMIN_PASSWORD"];
  const release = clinic.holdBack("password-");
  await clinic.ask(ACTION);
  await clinic.passes(ACTION, "secret");
  const between = secret(clinic);
  assert.equal([between[BEFORE], account(clinic).password], [before, before]);
  assert.is.not(between["ADMIN_PASSWORD"], before);
  release();
  assert.is((await clinic.scene.ended(clinic.id, ACTION)).state, "succeeded");
  assert.equal([secret(clinic)["ADMIN_PASSWORD"], agree(clinic)], [between["ADMIN_PASSWORD"], true]);
  assert.is(secret(clinic)[BEFORE], undefined);
});

test("makes the site mail a link to its administrator if it can send mail", async ({ clinic }) => {
  const { database, saveDatabase } = clinic.site();
  saveDatabase({ ...database!, config: { ...database!.config, noemailever: "0" } });
  const { state, progress } = await clinic.does(ACTION);
  saveDatabase({ ...clinic.site().database!, config: { ...database!.config, noemailever: "1" } });
  assert.equal([state, account(clinic).links], ["succeeded", 1]);
  assert.equal(progress["notes"], ["The site has emailed its administrator a link to choose a password"]);
});

test("ends with one password, whichever reply of the cluster is lost", async ({ clinic }) => {
  const { faults } = clinic.scene.simulator;
  for (let times = 1; times <= 2; times++) {
    faults.cut({ method: "PATCH", path: "/secrets/admin", at: "performed", times: 1 });
  }
  faults.cut({ method: "POST", path: "/jobs", at: "performed", times: 1 });
  const { state, attempt } = await clinic.does(ACTION);
  assert.is(state, "succeeded");
  assert.ok(attempt > 1);
  assert.equal([agree(clinic), secret(clinic)[BEFORE]], [true, undefined]);
});

test("keeps the first holder's password after a takeover in each step", async ({ clinic }) => {
  const ref = { apiVersion: "v1", kind: "Secret", name: "admin" };
  await (await clinic.space()).patch(ref, [{ op: "remove", path: "/data" }], CALL);
  const release = clinic.holdBack("password-");
  await clinic.ask(ACTION);
  await clinic.passes(ACTION, "secret");
  const { steps } = resetAdminPassword(clinic.scene.app), made = secret(clinic);
  const job = await until(async () => {
    const last = await clinic.last(ACTION);
    return last.state === "queued" && last; // so that no replica runs it
  });
  const next = holderOf(clinic, job, String(BigInt(job.fence) + 1n));
  await steps["secret"]!(next);
  assert.equal(secret(clinic), made);
  release();
  assert.is((await clinic.scene.ended(clinic.id, ACTION)).state, "succeeded");
  const again = holderOf(clinic, job, String(BigInt((await clinic.last(ACTION)).fence) + 1n));
  await steps["account"]!(again);
  assert.equal([secret(clinic)["ADMIN_PASSWORD"], agree(clinic)], [made["ADMIN_PASSWORD"], true]);
});

test("rejects a late holder, in the Secret and in the site", async ({ clinic }) => {
  await clinic.does(ACTION);
  const first = await clinic.last(ACTION);
  await clinic.does(ACTION);
  const before = secret(clinic), { steps } = resetAdminPassword(clinic.scene.app);
  const late = holderOf(clinic, { ...first, id: "op_other" }, first.fence);
  assert.instance(await rejection(steps["secret"]!(late)), FenceLostError);
  const { blueprintInputs: inputs } = await clinic.row();
  const job = clinic.scene.app.blueprint.jobObject(inputs, "password", first.fence);
  const { succeeded, log } = await (await clinic.space()).run(job, { ...CALL, timeout: 20_000 });
  assert.equal([succeeded, secret(clinic), agree(clinic)], [false, before, true]);
  assert.match(log.join("\n"), /not changed: attempt \d+ has begun after this one/);
});

test("reports why its Job failed, and succeeds at the next request", async ({ clinic }) => {
  const { faults } = clinic.scene.simulator;
  faults.failJob("password-", { log: ["!!! Exception - errorpasswordupdate !!!"] });
  const before = secret(clinic)["ADMIN_PASSWORD"];
  const first = await clinic.does(ACTION);
  assert.equal([first.state, first.failure!.step, first.failure!.code], ["failed", "account", "PhpFatal"]);
  const between = secret(clinic), job = `password-${(await clinic.last(ACTION)).fence}`;
  assert.is(between[BEFORE], before);
  assert.not.ok(clinic.objects("Job").some(({ metadata }) => metadata.name === job), "no Job is left");
  const second = await clinic.does(ACTION);
  assert.is(second.state, "failed");
  assert.equal(secret(clinic), between, "one of the two is the site's, whatever the Jobs did");
  faults.clear();
  assert.is((await clinic.does(ACTION)).state, "succeeded");
  assert.equal([agree(clinic), secret(clinic)[BEFORE]], [true, undefined]);
});

test("fails if its Job does not confirm the password", async ({ clinic }) => {
  const { app, simulator } = clinic.scene;
  const silent = { ...app.blueprint, jobObject: quiet(app.blueprint.jobObject) };
  const run = holderOf(clinic, await clinic.last(ACTION), "9000000000");
  const error = await rejection(resetAdminPassword({ ...app, blueprint: silent }).steps["account"]!(run));
  assert.is(error.code, "PasswordNotProven");
  assert.ok(simulator.history().some(({ kind, name }) => kind === "Job" && name === "password-9000000000"));
});

/** Returns a Job that ends without output, like a custom script. */
function quiet(make: Clinic["scene"]["app"]["blueprint"]["jobObject"]): typeof make {
  return (...asked) => {
    const job = make(...asked);
    job["spec"].template.spec.containers[0].command = ["php", "-r", "exit(0);"];
    return job;
  };
}

test("blames the user for an account that cannot have a password", async ({ clinic }) => {
  change(clinic, { suspended: true });
  const { state, failure } = await clinic.does(ACTION);
  change(clinic, { suspended: false });
  assert.equal([state, failure!.code, failure!.fault], ["failed", "AccountUnusable", "user"]);
  assert.is(failure!.message, "The administrator's password could not be set because the account admin is suspended");
  assert.match(failure!.hint!, new RegExp(BEFORE));
  const { database, saveDatabase } = clinic.site(), { admin, ...others } = database!.accounts!;
  saveDatabase({ ...database!, accounts: others });
  assert.match(
    (await clinic.does(ACTION)).failure!.message,
    /no account named admin; it was renamed or deleted/,
  );
  saveDatabase({ ...clinic.site().database!, accounts: { ...others, admin: admin! } });
  assert.is((await clinic.does(ACTION)).state, "succeeded");
  assert.ok(agree(clinic));
});

test("reports a deleted Secret", async ({ clinic }) => {
  const found = clinic.objects("Secret").find(({ metadata }) => metadata.name === "admin")!;
  const ref = { apiVersion: "v1", kind: "Secret", name: "admin" }, space = await clinic.space();
  await deleteAsAdmin(clinic.scene.simulator, found);
  const { state, failure } = await clinic.does(ACTION);
  assert.equal([state, failure!.code, failure!.step], ["failed", "NotFound", "secret"]);
  const { labels } = found.metadata;
  await space.create({ ...ref, metadata: { name: "admin", labels: labels! }, data: found["data"] }, CALL);
});

test("writes the password only into the Secret and the site", async ({ clinic }) => {
  const passwords = new Set([secret(clinic)["ADMIN_PASSWORD"]!]);
  await clinic.does(ACTION);
  passwords.add(secret(clinic)["ADMIN_PASSWORD"]!);
  clinic.scene.simulator.faults.failJob("password-", { log: [`login with ${[...passwords].join(" and ")} failed`] });
  await clinic.does(ACTION);
  for (const value of Object.values(secret(clinic))) passwords.add(value);
  assert.ok(passwords.size >= 3);
  const tables = await clinic.scene.db.sql(
    "select table_name as name from information_schema.tables where table_schema = current_schema()",
  );
  assert.ok(tables.length > 10);
  for (const { name } of tables) {
    const text = JSON.stringify(await clinic.scene.db.sql(`select to_jsonb(t) as row from "${name}" as t`));
    for (const password of passwords) {
      assert.not.ok(text.includes(password) || text.includes(btoa(password)), String(name));
    }
  }
  assert.ok(clinic.lines.some((line) => line.includes(ACTION)));
  for (const password of passwords) assert.not.ok(clinic.lines.some((line) => line.includes(password)), "the log");
  const pods = JSON.stringify([...clinic.objects("Pod"), ...clinic.objects("Job"), ...clinic.objects("Event")]);
  for (const password of passwords) assert.not.ok(pods.includes(password) || pods.includes(btoa(password)));
});

test.run();
