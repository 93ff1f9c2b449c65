/** Tests what the session-only flows share. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTestToken, createTestUser } from "#test/support/users.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const PATHS = ["login", "forgot-password", "reset-password", "accept-invite", "signup", "verify-email"];
const PAGES = ["/invite", "/reset", "/verify"];

const test = suite<{ flows: MailLinkFlows }>("session-only flows");

test.before(async (context) => {
  context.flows = await openMailLinkFlows({ SIGNUP: "on" });
});
test.after(({ flows }) => flows.close());

test("answer 401 with any Authorization header, before bucket, scope and body", async ({ flows }) => {
  const operator = await createTestUser(flows.db, "boss", { operator: true });
  const good = (await createTestToken(flows.db, operator, "cli")).plaintext;
  for (const path of PATHS.flatMap((name) => [`/api/auth/${name}`, `/auth/${name}`])) {
    for (const authorization of [`Bearer ${good}`, "Bearer nonsense", "Basic YTpi", ""]) {
      const refused = await flows.send(path, { method: "POST", headers: { authorization }, body: "not even JSON" });
      assert.is(refused.status, 401, `${path} ${authorization}`);
      assert.match(refused.body.message, "requires a session");
    }
  }
  const email = "left@example.org";
  assert.is((await flows.post("/api/auth/forgot-password", { email })).status, 202, "the rate limit was not used");
});

test("apply the same to the forms of pages", async ({ flows }) => {
  for (const path of PAGES) {
    const refused = await flows.send(path, { method: "POST", headers: { authorization: "Bearer x" }, body: "" });
    assert.is(refused.status, 401, path);
    assert.match(refused.headers.get("content-type")!, "text/html");
  }
});

test("answer alike for every invalid link, and hash no password for it", async ({ flows }) => {
  flows.passwords.count();
  const password = "long enough for anybody";
  for (const name of ["reset-password", "accept-invite", "verify-email"]) {
    for (const token of ["x", "A".repeat(43), "💥".repeat(40), "a'; drop table users; --"]) {
      const refused = await flows.post(`/api/auth/${name}`, { token, password });
      assert.equal([refused.status, refused.body.message], [
        422,
        "This link has been used, has expired or was never valid; request a new one",
      ]);
    }
    assert.is((await flows.post(`/api/auth/${name}`, { token: "a\0", password })).status, 400);
  }
  assert.is(flows.passwords.count(), 0);
});

test("accept no link of another purpose", async ({ flows }) => {
  const ada = await createTestUser(flows.db, "ada", { verified: false });
  const password = "long enough for anybody";
  const own = {
    "reset-password": "password_reset",
    "accept-invite": "invitation",
    "verify-email": "email_verification",
  };
  for (const [name, purpose] of Object.entries(own)) {
    const token = await flows.link(purpose as "invitation", ada);
    for (const other of Object.keys(own).filter((each) => each !== name)) {
      assert.is((await flows.post(`/api/auth/${other}`, { token, password })).status, 422, `${purpose} at ${other}`);
    }
  }
});

test("change nothing for a disabled user, without saying why", async ({ flows }) => {
  const gone = await createTestUser(flows.db, "gone", { verified: false, disabled: true });
  const before = await selectRows(flows.db, "users", { id: gone.id });
  const password = "long enough for anybody";
  const links = [["reset-password", "password_reset"], ["accept-invite", "invitation"], [
    "verify-email",
    "email_verification",
  ]] as const;
  for (const [name, purpose] of links) {
    const refused = await flows.post(`/api/auth/${name}`, { token: await flows.link(purpose, gone), password });
    assert.equal([refused.status, refused.body.message.slice(0, 23)], [422, "This link has been used"]);
  }
  assert.equal(await selectRows(flows.db, "users", { id: gone.id }), before);
});

test("refuse the account's address as its password, and keep the link valid", async ({ flows }) => {
  const email = "carol.hamilton@example.org", password = "a password of her own";
  const carol = await createTestUser(flows.db, "carol.hamilton", { verified: false });
  const links = [["accept-invite", "invitation"], ["verify-email", "email_verification"], [
    "reset-password",
    "password_reset",
  ]] as const;
  for (const [name, purpose] of links) {
    await updateRows(flows.db, "users", { emailVerifiedAt: null }, { id: carol.id });
    const token = await flows.link(purpose, carol);
    for (const own of [email, "Carol.Hamilton", "carol.hamilton!"]) {
      const refused = await flows.post(`/api/auth/${name}`, { token, password: own });
      assert.equal([refused.status, refused.body.message], [400, "password must not be the account's email address"]);
    }
    assert.is((await flows.post(`/api/auth/${name}`, { token, password })).status, 200, name);
  }
});

test("describe the rules of passwords, and keep the link valid", async ({ flows }) => {
  const bob = await createTestUser(flows.db, "bob");
  const token = await flows.link("password_reset", bob);
  const cases: [unknown, string][] = [
    ["too short", "password must have 12 to 256 characters"],
    ["x".repeat(257), "password must have 12 to 256 characters"],
    ["abcdefghijklmnop", "password must not be an easily guessed pattern"],
    ["passwordpassword", "password must not be"],
    ["nul\0 in the middle", "password must be well-formed text"],
    ["half \ud800 of something", "password must be well-formed text"],
    [null, "password must be"],
    [12, "password must be a password of 12 to 256 characters"],
    [undefined, "password must be"],
  ];
  for (const [password, message] of cases) {
    const refused = await flows.post("/api/auth/reset-password", { token, password });
    assert.is(refused.status, 400, message);
    assert.match(refused.body.message, message);
  }
  assert.is(
    (await flows.post("/api/auth/reset-password", { token, password: "🐢".repeat(6) + " and 日本語" })).status,
    200,
  );
});

test.run();
