import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MailError } from "#lib/drivers/mail/transport.ts";
import { checkSmtp } from "#lib/drivers/mail/smtp.ts";
import { between, failure, LONG, mail, never, soon, TOKEN } from "#test/lib/drivers/mail/smtp-pair.ts";
import { CERTIFICATE } from "#test/support/kube/certificate.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite("openSmtp");
const KUBE = { ca: CERTIFICATE, servername: "kube.test" };

test("sends both parts, with the headers of a mail that nobody answers", () =>
  between({}, {}, async ({ smtp, post }) => {
    smtp.rules.data = () => `250 Thanks for ${TOKEN}`;
    const { answer } = await post.send(mail, never);
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

test("lets no name or subject add a header or an addressee", () =>
  between({}, {}, async ({ smtp, post }) => {
    const name = 'Eve"\r\nBcc: all@example.org\r\n\r\n<b>, "x" <mallory@example.org>, \u202e\u0000Ä';
    const subject = "One\r\nX-Two: three";
    await post.send({ ...mail, to: { email: "ada@example.org", name }, subject }, never);
    const { headers, raw } = smtp.mails[0]!;
    assert.equal(Object.keys(headers).filter((key) => ["bcc", "x-two", "cc"].includes(key)), []);
    assert.match(headers.to!, /^"?Eve.*<ada@example\.org>$/);
    assert.not.match(headers.to!, /\u202e|\p{Cc}/u);
    const to = /^To: ([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/m.exec(raw)![1]!; // as a mail program receives it
    assert.is(to.match(/<[^>]+@[^>]+>/g)!.length, 1, to);
  }));

test("bears no name where a stranger can have given it", () =>
  between({}, {}, async ({ smtp, post }) => {
    const to = { email: "ada@example.org", name: "You have won" };
    await post.send({ ...mail, template: "verification", to }, never);
    await post.send({ ...mail, template: "password-reset", to }, never);
    assert.equal(smtp.mails.map(({ headers }) => headers.to), ["ada@example.org", "ada@example.org"]);
  }));

test("takes an address as it stands, and looks for no other in it", () =>
  between({}, {}, async ({ smtp, post }) => {
    for (
      const email of [
        "eve<all@example.org>",
        "eve@example.org, all@example.org",
        "a@b.example\r\nRCPT TO:<x@y.example>",
      ]
    ) {
      const error = await rejection(post.send({ ...mail, to: { email, name: "" } }, never)) as MailError;
      assert.is(error.transient, false, email);
    }
    assert.is(smtp.mails.length, 0);
  }));

test("writes an address of another script as servers know it", () =>
  between({}, {}, async ({ smtp, post }) => {
    await post.send({ ...mail, to: { email: "ada@bücher.example", name: "" } }, never);
    await post.send({ ...mail, to: { email: "адa@example.org", name: "Ада" } }, never);
    assert.equal(smtp.mails.map(({ headers, utf8 }) => ({ to: headers.to, utf8 })), [
      { to: "ada@xn--bcher-kva.example", utf8: false },
      { to: "Ада <адa@example.org>", utf8: true },
    ]);
  }));

test("takes STARTTLS when it is offered, and logs in over it", () => {
  const auth = { user: "hubs", pass: "a password" };
  return between({ tls: "starttls", auth }, { tls: KUBE }, async ({ smtp, post }) => {
    await post.send(mail, never);
    assert.is(smtp.mails[0]!.secure, true);
    assert.is(smtp.mails[0]!.user, "hubs");
  });
});

test("where TLS is required, tells no password to a server that does not offer it: somebody may have stripped the offer", () => {
  const auth = { user: "hubs", pass: "a password" };
  return between({ auth }, { tls: KUBE, encryption: "required" }, async (pair) => {
    const error = await failure(pair);
    assert.equal([error.code, error.transient], ["mail_tls", true]);
    assert.is(pair.smtp.mails.length, 0);
    assert.is(pair.smtp.logins(), 0);
  });
});

test("begins with TLS on any port where it is implicit, and says nothing to a server that does not", async () => {
  await between({ tls: "at once" }, { tls: KUBE, encryption: "implicit" }, async ({ smtp, post }) => {
    await post.send(mail, never);
    assert.is(smtp.mails[0]!.secure, true);
  });
  await between({}, { tls: KUBE, encryption: "implicit" }, async (pair) => {
    assert.ok((await failure(pair)).transient);
    assert.equal(pair.smtp.mails, []);
  });
});

test("where TLS is required, goes out over it, and where it is off, without", async () => {
  for (const [encryption, secure] of [["required", true], ["off", false]] as const) {
    await between({ tls: "starttls" }, { tls: KUBE, encryption }, async ({ smtp, post }) => {
      await post.send(mail, never);
      assert.is(smtp.mails[0]!.secure, secure);
    });
  }
});

test("sends nothing to a server whose certificate it cannot trust", () =>
  between({ tls: "starttls" }, { tls: { servername: "kube.test" } }, async (pair) => {
    const error = await failure(pair);
    assert.is(error.code, "mail_tls");
    assert.is(error.transient, true);
    assert.is(pair.smtp.mails.length, 0);
  }));

test("keeps its connection for the next mail, and opens another when that was closed", () =>
  between({}, {}, async ({ smtp, post }) => {
    await post.send(mail, never);
    await post.send(mail, never);
    assert.is(smtp.connections().all, 1);
    smtp.hangUp();
    await post.send(mail, never);
    assert.is(smtp.mails.length, 3);
    assert.is(smtp.connections().all, 2);
  }));

test("has at most four connections", () =>
  between({}, {}, async ({ smtp, post }) => {
    await Promise.all(Array.from({ length: 20 }, () => post.send(mail, never)));
    assert.is(smtp.mails.length, 20);
    assert.ok(smtp.connections().all <= 4);
  }));

for (const hang of ["greeting", "data"] as const) {
  test(`gives up on a server that hangs at the ${hang}, and lets go of it`, () =>
    between({}, { timeouts: { wait: 300, total: LONG } }, async (pair) => {
      pair.smtp.rules.hang = hang;
      const error = await soon(failure(pair));
      assert.is(error.code, "mail_timeout");
      assert.is(error.transient, true);
      await until(() => pair.smtp.connections().open === 0);
    }));
}

test("gives up on a mail that takes too long, whatever trickles in", () =>
  between({}, { timeouts: { wait: LONG, total: 150 } }, async (pair) => {
    pair.smtp.rules.hang = "data";
    assert.is((await soon(failure(pair))).code, "mail_timeout");
    await until(() => pair.smtp.connections().open === 0);
  }));

test("gives up a login that takes too long, whatever trickles in", () =>
  between({}, {}, async ({ smtp }) => {
    smtp.rules.hang = "greeting";
    const place = { host: "127.0.0.1", port: smtp.port, user: null, pass: null, from: "a@example.org", name: "" };
    const patience = { wait: 5000, total: 150 };
    const error = await soon(
      rejection(checkSmtp({ ...place, encryption: "opportunistic", timeouts: patience })),
    ) as MailError;
    assert.is(error.code, "mail_timeout");
  }));

test("stops when it is told to, with the reason", () =>
  between({}, { timeouts: { wait: LONG, total: LONG } }, async ({ smtp, post }) => {
    smtp.rules.hang = "data";
    const stop = new AbortController(), sending = rejection(post.send(mail, stop.signal));
    await until(() => smtp.connections().open === 1);
    stop.abort(new Error("enough"));
    assert.is((await soon(sending)).message, "enough");
    assert.is((await rejection(post.send(mail, stop.signal))).message, "enough");
  }));

test("cuts what is under way when it is closed", () =>
  between({}, { timeouts: { wait: LONG, total: LONG } }, async ({ smtp, post }) => {
    smtp.rules.hang = "data";
    const sending = rejection(post.send(mail, never));
    await until(() => smtp.connections().open === 1);
    post.close();
    assert.is((await soon(sending) as MailError).transient, true);
    await until(() => smtp.connections().open === 0);
  }));

test.run();
