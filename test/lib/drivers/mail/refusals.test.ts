import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failure, mail, NEVER_ABORTED_SIGNAL, TOKEN, withSmtpPair } from "#test/lib/drivers/mail/smtp-pair.ts";
import { openSmtpServer } from "#test/support/smtp.ts";

const test = suite("toMailError");

const refusals = [
  ["an unknown recipient", { recipient: "550 5.1.1 No such user" }, "mail_recipient", false],
  ["a deferred recipient", { recipient: "451 4.7.1 Greylisted" }, "mail_deferred", true],
  ["a forbidden relay", { recipient: "554 5.7.1 Relay access denied" }, "mail_deferred", true],
  ["a forbidden sender", { sender: "553 5.1.8 Not you" }, "mail_sender", true],
  ["a missing login", { sender: "530 5.7.0 Log in first" }, "mail_login", true],
  ["a rejected mail", { data: "554 5.6.0 Not this one" }, "mail_refusal", false],
  ["a full server", { data: "452 4.3.1 No room" }, "mail_deferred", true],
] as const;

test("explains each rejection and still sends the next mail", () =>
  withSmtpPair({}, {}, async (pair) => {
    for (const [what, rules, code, transient] of refusals) {
      for (const [name, answer] of Object.entries(rules)) Object.assign(pair.smtp.rules, { [name]: () => answer });
      const error = await failure(pair);
      assert.is(error.code, code, what);
      assert.is(error.transient, transient, what);
      assert.match(error.message, Object.values(rules)[0]!);
      for (const name of Object.keys(rules)) Object.assign(pair.smtp.rules, { [name]: undefined });
      await pair.post.send(mail, NEVER_ABORTED_SIGNAL);
    }
  }));

test("reports a wrong password without the password and the link", async () => {
  const auth = { user: "hubs", pass: "a password" };
  await withSmtpPair({ auth }, { pass: "tiger & cat" }, async (pair) => {
    const error = await failure(pair);
    assert.is(error.code, "mail_login");
    assert.is(error.transient, true);
    assert.match(error.hint!, "SMTP_PASS");
    assert.not.match(String(error.stack) + JSON.stringify(error), /tiger/);
    assert.match(error.message, /Not with \*\*\*/);
    assert.is(error.cause, undefined);
  });
  await withSmtpPair({}, {}, async (pair) => {
    pair.smtp.rules.data = (raw) =>
      `554 5.6.0 We do not like ${/Hello, [\s\S]*?4s/.exec(raw.replace(/=\r?\n/g, "").replaceAll("=3D", "="))![0]}`;
    const error = await failure(pair);
    assert.match(error.message, /We do not like Hello/);
    assert.not.match(error.message, TOKEN);
    pair.smtp.rules.data = () => `554 5.6.0 Not https://hubs.example.org/?token=3D${TOKEN.slice(0, 30)}= and the rest`;
    assert.match((await failure(pair)).message, /token=\*\*\* and the rest$/);
  });
});

test("reports a server that closes the connection, and an unreachable one", async () => {
  await withSmtpPair({}, {}, async (pair) => {
    pair.smtp.rules.drop = true;
    const error = await failure(pair);
    assert.is(error.code, "mail_unreachable");
    assert.is(error.transient, true);
    assert.is(pair.smtp.mails.length, 1); // retries belong to the job; one here would hide the failure
  });
  const { port, close } = await openSmtpServer();
  await close();
  await withSmtpPair({}, { port }, async (pair) => {
    const error = await failure(pair);
    assert.is(error.code, "mail_unreachable");
    assert.match(error.message, `127.0.0.1:${port}`);
  });
  await withSmtpPair({}, { host: "localhost" }, ({ post }) => post.send(mail, NEVER_ABORTED_SIGNAL).then(() => {}));
  await withSmtpPair({}, { host: "mail.invalid" }, async (pair) => {
    assert.is((await failure(pair)).code, "mail_unreachable");
  });
});

test.run();
