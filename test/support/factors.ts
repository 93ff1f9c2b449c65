/** Gives users a second factor without the requests of an enrolment, and returns codes of their authenticator app. */
import type { App } from "#lib/app.ts";
import { replaceRecoveryCodes } from "#lib/domains/auth/factors/recovery-codes.ts";
import { createTotpCode, createTotpSecret } from "#lib/domains/auth/factors/totp.ts";
import { createId } from "#lib/base/ids.ts";
import { SECOND } from "#lib/base/time.ts";
import type { TestUser } from "#test/support/users.ts";

export interface TestFactor {
  readonly id: string;
  readonly recoveryCodes: readonly string[];
  /** Returns the app's code for now, or for a number of steps (30 seconds) later. */
  code(steps?: number): Promise<string>;
}

export async function createTestFactor({ db, secrets }: App, { id: userId }: TestUser): Promise<TestFactor> {
  const id = createId("fac"), secret = createTotpSecret(), now = await db.now();
  await db.rows.insertInto("factors").values({
    id,
    userId,
    kind: "totp",
    name: "Phone",
    totpSecret: secrets.seal(secret, `factor:${id}`),
    activatedAt: now,
  }).execute();
  return {
    id,
    recoveryCodes: await db.transact((tx) => replaceRecoveryCodes(tx, userId)),
    code: async (steps = 0) => createTotpCode(secret, new Date((await db.now()).getTime() + steps * 30 * SECOND)),
  };
}

/** Returns a code that is not among the codes that the app shows around now. */
export async function createWrongCode(factor: TestFactor): Promise<string> {
  const right = await Promise.all([-2, -1, 0, 1, 2].map((steps) => factor.code(steps)));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !right.includes(code))!;
}
