/** Tests a process that is stopped for a while, as on a busy machine, and resumes late without work. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SECOND, sleep } from "#lib/base/time.ts";
import { type Attack, openAttack } from "#test/support/attack.ts";

const test = suite<{ attack: Attack }>("a process that was paused");
test.before(async (context) => {
  context.attack = await openAttack();
});
test.after(({ attack }) => attack.close());

test("sheds no request when it resumes without load", async ({ attack }) => {
  const { call, token, replicas: [replica] } = attack;
  replica!.tell("SIGSTOP");
  const requests = [
    call(token, "GET", "/api/auth/me"),
    call(null, "GET", "/api/version"),
    call(null, "GET", "/api/healthz"),
  ];
  await sleep(3 * SECOND); // the next clock check is this late
  replica!.tell("SIGCONT");
  assert.equal((await Promise.all(requests)).map(({ status }) => status), [200, 200, 200]);
  for (let i = 0; i < 20; i++) assert.is((await call(token, "GET", "/api/auth/me")).status, 200);
});

test.run();
