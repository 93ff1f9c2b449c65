/** Tests signing in from a terminal with the browser, against every misuse of its codes. */
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import {
  createTerminalCode,
  decideDeviceSignIn,
  findDeviceSignIn,
  startDeviceSignIn,
} from "#lib/domains/auth/terminal-sign-in.ts";
import { redeemTerminalSignIn } from "#lib/domains/auth/terminal-token.ts";
import { DAY, MINUTE, SECOND } from "#lib/base/time.ts";
import { createTestApp } from "#test/support/app.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub } from "#test/support/insert-rows.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";
import { addHubAdmin, createTestSession, createTestUser, type TestUser } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";

const TERMINAL = { ip: "198.51.100.9", userAgent: "wheelwright/1.0" };
const REQUEST = { name: "wheelwright on ada@laptop", scope: "cli" } as const;
const verifier = "v".repeat(43), challenge = createHash("sha256").update(verifier).digest("base64url"), port = 50123;

interface Stage {
  db: TestDatabase;
  app: App;
  ann: TestUser;
  actor: Actor;
}

const browser = suite<Stage>("a sign-in from a terminal by the browser"), device = suite<Stage>("a device sign-in");
for (const each of [browser, device]) {
  each.before.each(async (stage) => {
    const db = stage.db = await openTestDatabase();
    stage.app = await createTestApp(db, { PORTAL: "on" });
    stage.ann = await createTestUser(db, "ann");
    await addHubAdmin(db, stage.ann, await insertHub(db, stage.ann.id, "north"));
    const { secret } = await createTestSession(db, stage.ann);
    const request = new Request("http://x/", { headers: { cookie: `wheelwright=${secret}` } });
    stage.actor = (await authenticate(stage.app, request, { ip: "192.0.2.7", userAgent: "Firefox" }))!;
  });
  each.after.each(({ db }) => db.close());
}

browser("creates one token with the chosen limits, named after the machine", async ({ app, db, actor }) => {
  const expiresAt = new Date((await db.now()).getTime() + 90 * DAY);
  const limits = { expiresAt, federationIds: ["north"] };
  const { code } = await createTerminalCode(app, actor, { ...REQUEST, challenge, port, ...limits });
  const token = await redeemTerminalSignIn(app, TERMINAL, { code, verifier, port });
  assert.equal([token.name, token.scope, token.federationIds?.length], [REQUEST.name, "cli", 1]);
  assert.equal(token.expiresAt, expiresAt);
  const headers = { authorization: `Bearer ${token.token}` };
  const caller = await authenticate(app, new Request("http://x/", { headers }), TERMINAL);
  assert.equal([caller?.userId, caller?.role], [actor.userId, "hub_admin"]);
  const [event] = await selectRows(db, "audit_events", { kind: "token_created" });
  assert.equal([event.actorId, event.ip, event.userAgent], [actor.userId, TERMINAL.ip, TERMINAL.userAgent]);
  assert.is((await selectRows(db, "audit_events", { kind: "terminal_sign_in_approved" })).length, 1);
  const stored = await db.sql(
    "select string_agg(t::text, '') || string_agg(u::text, '') as kept from terminal_sign_ins t, api_tokens u",
  );
  assert.not.match(stored[0].kept, code);
});

browser("refuses a replayed code, also for a second replica at the same time", async (stage) => {
  const { app, db, actor } = stage, { code } = await createTerminalCode(app, actor, { ...REQUEST, challenge, port });
  const other = { ...app, db: await db.openAgain() };
  const results = await Promise.allSettled(
    [app, other, app].map((replica) => redeemTerminalSignIn(replica, TERMINAL, { code, verifier, port })),
  );
  assert.is(results.filter(({ status }) => status === "fulfilled").length, 1);
  for (const one of results) if (one.status === "rejected") assert.is(one.reason.code, "sign_in_spent");
  assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, { code, verifier, port }))).code, "sign_in_spent");
  assert.is((await selectRows(db, "api_tokens")).length, 1, "the token of a lost answer can be seen and revoked");
});

for (
  const [what, wrong] of [
    ["another verifier", { verifier: "w".repeat(43) }],
    ["another port", { port: port + 1 }],
    ["the challenge as the verifier", { verifier: challenge }],
  ] as const
) {
  browser(`refuses ${what}, and uses the code up`, async ({ app, db, actor }) => {
    const { code } = await createTerminalCode(app, actor, { ...REQUEST, challenge, port });
    const right = { code, verifier, port };
    assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, { ...right, ...wrong }))).code, "sign_in_spent");
    assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, right))).code, "sign_in_spent");
    assert.equal(await selectRows(db, "api_tokens"), []);
  });
}

browser("refuses an expired code, and a code of the other flow", async ({ app, db, actor }) => {
  const { code } = await createTerminalCode(app, actor, { ...REQUEST, challenge, port });
  assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, { deviceCode: code }))).code, "sign_in_spent");
  await db.shiftClock(61 * SECOND);
  assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, { code, verifier, port }))).code, "sign_in_spent");
  for (const wrong of ["", "x", "A".repeat(43), "%' or true --"]) {
    const fault = await rejection(redeemTerminalSignIn(app, TERMINAL, { code: wrong, verifier, port }));
    assert.is(fault.code, "sign_in_spent", wrong);
  }
});

for (
  const [what, change] of [
    ["the session ended", "update sessions set ended_at = now()"],
    ["the user was disabled", "update users set disabled_at = now()"],
  ] as const
) {
  browser(`creates no token after ${what}`, async ({ app, db, actor }) => {
    const { code } = await createTerminalCode(app, actor, { ...REQUEST, challenge, port });
    await db.sql(change);
    assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, { code, verifier, port }))).code, "sign_in_spent");
    assert.equal(await selectRows(db, "api_tokens"), []);
  });
}

browser("checks expiry and hubs before it creates a code", async ({ app, db, actor }) => {
  const past = { expiresAt: new Date((await db.now()).getTime() - SECOND) };
  for (const [limits, code] of [[past, "expiry_past"], [{ federationIds: ["south"] }, "federation_missing"]] as const) {
    const making = createTerminalCode(app, actor, { ...REQUEST, challenge, port, ...limits });
    assert.is((await rejection(making)).code, code);
  }
  const off = { ...app, config: { ...app.config, portal: false } };
  for (
    const making of [
      createTerminalCode(off, actor, { ...REQUEST, challenge, port }),
      startDeviceSignIn(off, TERMINAL, REQUEST),
      redeemTerminalSignIn(off, TERMINAL, { deviceCode: "x" }),
    ]
  ) assert.is((await rejection(making)).code, "portal_off");
});

browser("deletes codes an hour after they expired", async ({ app, db, actor }) => {
  await createTerminalCode(app, actor, { ...REQUEST, challenge, port });
  await db.shiftClock(62 * MINUTE);
  await createTerminalCode(app, actor, { ...REQUEST, challenge, port });
  assert.is((await selectRows(db, "terminal_sign_ins")).length, 1);
});

device("waits for the user, who sees from where it was started", async ({ app, db, actor }) => {
  const { deviceCode, userCode, verificationUri } = await startDeviceSignIn(app, TERMINAL, REQUEST);
  assert.match(userCode, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assert.match(verificationUri, /\/device$/);
  assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, { deviceCode }))).code, "sign_in_pending");
  const typed = userCode.replace("-", " ").toLowerCase(), found = await findDeviceSignIn(app, ` ${typed}`);
  assert.equal([found.name, found.ip, found.userAgent], [REQUEST.name, TERMINAL.ip, TERMINAL.userAgent]);
  await decideDeviceSignIn(app, actor, { id: found.id, approve: true, scope: "readonly" });
  const token = await redeemTerminalSignIn(app, TERMINAL, { deviceCode });
  assert.equal([token.name, token.scope], [REQUEST.name, "readonly"], "the user's scope counts");
  assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, { deviceCode }))).code, "sign_in_spent");
  assert.is((await rejection(findDeviceSignIn(app, userCode))).code, "sign_in_missing");
  assert.is((await selectRows(db, "api_tokens", { userId: actor.userId })).length, 1);
});

device("slows down a terminal that polls too often", async ({ app, db }) => {
  const { deviceCode } = await startDeviceSignIn(app, TERMINAL, REQUEST);
  const poll = async () => (await rejection(redeemTerminalSignIn(app, TERMINAL, { deviceCode }))).code;
  assert.equal([await poll(), await poll()], ["sign_in_pending", "polled_too_soon"]);
  await db.shiftClock(5 * SECOND);
  assert.is(await poll(), "sign_in_pending");
});

device("ends when it is denied, and after ten minutes", async ({ app, db, actor }) => {
  const first = await startDeviceSignIn(app, TERMINAL, REQUEST), { id } = await findDeviceSignIn(app, first.userCode);
  await decideDeviceSignIn(app, actor, { id, approve: false, scope: "cli" });
  const late = rejection(decideDeviceSignIn(app, actor, { id, approve: true, scope: "cli" }));
  assert.is((await late).code, "sign_in_missing", "the first decision counts");
  const denied = redeemTerminalSignIn(app, TERMINAL, { deviceCode: first.deviceCode });
  assert.is((await rejection(denied)).code, "sign_in_denied");
  const second = await startDeviceSignIn(app, TERMINAL, REQUEST);
  const { id: other } = await findDeviceSignIn(app, second.userCode);
  await db.shiftClock(10 * MINUTE + SECOND);
  for (
    const trying of [
      findDeviceSignIn(app, second.userCode),
      decideDeviceSignIn(app, actor, { id: other, approve: true, scope: "cli" }),
    ]
  ) assert.is((await rejection(trying)).code, "sign_in_missing");
  const expired = redeemTerminalSignIn(app, TERMINAL, { deviceCode: second.deviceCode });
  assert.is((await rejection(expired)).code, "sign_in_spent");
});

device("gives its token only to the terminal that started it", async ({ app, db, actor }) => {
  const [mine, other] = [
    await startDeviceSignIn(app, TERMINAL, REQUEST),
    await startDeviceSignIn(app, TERMINAL, REQUEST),
  ];
  const { id } = await findDeviceSignIn(app, mine.userCode);
  await decideDeviceSignIn(app, actor, { id, approve: true, scope: "cli" });
  const wrong = redeemTerminalSignIn(app, TERMINAL, { deviceCode: other.deviceCode });
  assert.is((await rejection(wrong)).code, "sign_in_pending");
  for (const secret of [mine.userCode, id]) {
    assert.is((await rejection(redeemTerminalSignIn(app, TERMINAL, { deviceCode: secret }))).code, "sign_in_spent");
  }
  await updateRows(db, "sessions", { endedAt: NOW });
  const ended = redeemTerminalSignIn(app, TERMINAL, { deviceCode: mine.deviceCode });
  assert.is((await rejection(ended)).code, "sign_in_spent", "the session that approved has ended");
});

browser.run();
device.run();
