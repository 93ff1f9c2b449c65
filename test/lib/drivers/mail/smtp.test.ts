import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MailError } from "#lib/drivers/mail/transport.ts";
import { checkSmtpLogin } from "#lib/drivers/mail/smtp.ts";
import {
  failure,
  LONG,
  mail,
  NEVER_ABORTED_SIGNAL,
  soon,
  TOKEN,
  withSmtpPair,
} from "#test/lib/drivers/mail/smtp-pair.ts";
import { CERTIFICATE } from "#test/support/kube/certificate.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite("openSmtpTransport");
const KUBE = { ca: CERTIFICATE, servername: "kube.test" };

test("sends text and HTML with headers of an automatic mail", () =>
  withSmtpPair({}, {}, async ({ smtp, post }) => {
    smtp.rules.data = () => `250 Thanks for ${TOKEN}`;
    const { answer } = await post.send(mail, NEVER_ABORTED_SIGNAL);
    assert.is(answer, "250 Thanks for ***");
    const [got] = smtp.mails;
    assert.is(got!.to, "ada@example.org");
    assert.is(got!.from, "hubs@example.org");
    assert.is(got!.text, mail.text);
    assert.is(got!.html, mail.html);
    assert.is(got!.token, TOKEN);
    assert.is(got!.headers.from, "Hubs <hubs@example.org>");
    assert.is(got!.headers.to, "Ada <ada@example.org>");
    assert.is(got!.headers["message-id"], "<op_1@hubs.example.org>");
    assert.is(got!.headers["auto-submitted"], "auto-generated");
    assert.is(got!.headers["x-auto-response-suppress"], "All");
    assert.ok(Math.abs(Date.parse(got!.headers.date!) - Date.now()) < 60_000);
  }));

test("prevents header injection by names and subjects", () =>
  withSmtpPair({}, {}, async ({ smtp, post }) => {
    const name = 'Eve"\r\nBcc: all@example.org\r\n\r\n<b>, "x" <mallory@example.org>, \u202e\u0000Ä';
    const subject = "One\r\nX-Two: three";
    await post.send({ ...mail, to: { email: "ada@example.org", name }, subject }, NEVER_ABORTED_SIGNAL);
    const { headers, raw } = smtp.mails[0]!;
    assert.equal(Object.keys(headers).filter((key) => ["bcc", "x-two", "cc"].includes(key)), []);
    assert.match(headers.to!, /^"?Eve.*<ada@example\.org>$/);
    assert.not.match(headers.to!, /\u202e|\p{Cc}/u);
    const to = /^To: ([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/m.exec(raw)![1]!; // as a mail program receives it
    assert.is(to.match(/<[^>]+@[^>]+>/g)!.length, 1, to);
  }));

test("omits names that a stranger may have chosen", () =>
  withSmtpPair({}, {}, async ({ smtp, post }) => {
    const to = { email: "ada@example.org", name: "You have won" };
    await post.send({ ...mail, template: "verification", to }, NEVER_ABORTED_SIGNAL);
    await post.send({ ...mail, template: "password-reset", to }, NEVER_ABORTED_SIGNAL);
    assert.equal(smtp.mails.map(({ headers }) => headers.to), ["ada@example.org", "ada@example.org"]);
  }));

test("uses an address without parsing it for others", () =>
  withSmtpPair({}, {}, async ({ smtp, post }) => {
    for (
      const email of [
        "eve<all@example.org>",
        "eve@example.org, all@example.org",
        "a@b.example\r\nRCPT TO:<x@y.example>",
      ]
    ) {
      const error = await rejection(post.send({ ...mail, to: { email, name: "" } }, NEVER_ABORTED_SIGNAL)) as MailError;
      assert.is(error.transient, false, email);
    }
    assert.is(smtp.mails.length, 0);
  }));

test("encodes international domain names", () =>
  withSmtpPair({}, {}, async ({ smtp, post }) => {
    await post.send({ ...mail, to: { email: "ada@bücher.example", name: "" } }, NEVER_ABORTED_SIGNAL);
    await post.send({ ...mail, to: { email: "адa@example.org", name: "Ада" } }, NEVER_ABORTED_SIGNAL);
    assert.equal(smtp.mails.map(({ headers, utf8 }) => ({ to: headers.to, utf8 })), [
      { to: "ada@xn--bcher-kva.example", utf8: false },
      { to: "Ада <адa@example.org>", utf8: true },
    ]);
  }));

test("logs in over STARTTLS if the server offers it", () => {
  const auth = { user: "hubs", pass: "a password" };
  return withSmtpPair({ tls: "starttls", auth }, { tls: KUBE }, async ({ smtp, post }) => {
    await post.send(mail, NEVER_ABORTED_SIGNAL);
    assert.is(smtp.mails[0]!.secure, true);
    assert.is(smtp.mails[0]!.user, "hubs");
  });
});

test("with required TLS, sends no password to a server that offers no STARTTLS", () => {
  const auth = { user: "hubs", pass: "a password" };
  return withSmtpPair({ auth }, { tls: KUBE, encryption: "required" }, async (pair) => {
    const error = await failure(pair);
    assert.equal([error.code, error.transient], ["mail_tls", true]);
    assert.is(pair.smtp.mails.length, 0);
    assert.is(pair.smtp.logins(), 0);
  });
});

test("with implicit TLS, starts with TLS on any port", async () => {
  await withSmtpPair({ tls: "at once" }, { tls: KUBE, encryption: "implicit" }, async ({ smtp, post }) => {
    await post.send(mail, NEVER_ABORTED_SIGNAL);
    assert.is(smtp.mails[0]!.secure, true);
  });
  await withSmtpPair({}, { tls: KUBE, encryption: "implicit" }, async (pair) => {
    assert.ok((await failure(pair)).transient);
    assert.equal(pair.smtp.mails, []);
  });
});

test("sends over TLS if required, and without TLS if off", async () => {
  for (const [encryption, secure] of [["required", true], ["off", false]] as const) {
    await withSmtpPair({ tls: "starttls" }, { tls: KUBE, encryption }, async ({ smtp, post }) => {
      await post.send(mail, NEVER_ABORTED_SIGNAL);
      assert.is(smtp.mails[0]!.secure, secure);
    });
  }
});

test("sends nothing to a server with an untrusted certificate", () =>
  withSmtpPair({ tls: "starttls" }, { tls: { servername: "kube.test" } }, async (pair) => {
    const error = await failure(pair);
    assert.is(error.code, "mail_tls");
    assert.is(error.transient, true);
    assert.is(pair.smtp.mails.length, 0);
  }));

test("reuses its connection, and opens another after it was closed", () =>
  withSmtpPair({}, {}, async ({ smtp, post }) => {
    await post.send(mail, NEVER_ABORTED_SIGNAL);
    await post.send(mail, NEVER_ABORTED_SIGNAL);
    assert.is(smtp.connections().all, 1);
    smtp.hangUp();
    await post.send(mail, NEVER_ABORTED_SIGNAL);
    assert.is(smtp.mails.length, 3);
    assert.is(smtp.connections().all, 2);
  }));

test("opens at most four connections", () =>
  withSmtpPair({}, {}, async ({ smtp, post }) => {
    await Promise.all(Array.from({ length: 20 }, () => post.send(mail, NEVER_ABORTED_SIGNAL)));
    assert.is(smtp.mails.length, 20);
    assert.ok(smtp.connections().all <= 4);
  }));

for (const hang of ["greeting", "data"] as const) {
  test(`times out if the server hangs at the ${hang}, and closes the connection`, () =>
    withSmtpPair({}, { timeouts: { wait: 300, total: LONG } }, async (pair) => {
      pair.smtp.rules.hang = hang;
      const error = await soon(failure(pair));
      assert.is(error.code, "mail_timeout");
      assert.is(error.transient, true);
      await until(() => pair.smtp.connections().open === 0);
    }));
}

test("times out a slow mail despite a trickle of data", () =>
  withSmtpPair({}, { timeouts: { wait: LONG, total: 150 } }, async (pair) => {
    pair.smtp.rules.hang = "data";
    assert.is((await soon(failure(pair))).code, "mail_timeout");
    await until(() => pair.smtp.connections().open === 0);
  }));

test("times out a slow login despite a trickle of data", () =>
  withSmtpPair({}, {}, async ({ smtp }) => {
    smtp.rules.hang = "greeting";
    const place = { host: "127.0.0.1", port: smtp.port, user: null, pass: null, from: "a@example.org", name: "" };
    const patience = { wait: 5000, total: 150 };
    const error = await soon(
      rejection(checkSmtpLogin({ ...place, encryption: "opportunistic", timeouts: patience })),
    ) as MailError;
    assert.is(error.code, "mail_timeout");
  }));

test("rejects with the abort reason", () =>
  withSmtpPair({}, { timeouts: { wait: LONG, total: LONG } }, async ({ smtp, post }) => {
    smtp.rules.hang = "data";
    const stop = new AbortController(), sending = rejection(post.send(mail, stop.signal));
    await until(() => smtp.connections().open === 1);
    stop.abort(new Error("enough"));
    assert.is((await soon(sending)).message, "enough");
    assert.is((await rejection(post.send(mail, stop.signal))).message, "enough");
  }));

test("cancels running deliveries on close", () =>
  withSmtpPair({}, { timeouts: { wait: LONG, total: LONG } }, async ({ smtp, post }) => {
    smtp.rules.hang = "data";
    const sending = rejection(post.send(mail, NEVER_ABORTED_SIGNAL));
    await until(() => smtp.connections().open === 1);
    post.close();
    assert.is((await soon(sending) as MailError).transient, true);
    await until(() => smtp.connections().open === 0);
  }));

test.run();
