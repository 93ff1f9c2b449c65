import { createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Finding } from "#lib/doctor/finding.ts";
import { createTimedRead } from "#lib/doctor/timed-read.ts";
import { checkDomain, checkMail, checkRelay } from "#lib/doctor/external-services.ts";
import { SECOND } from "#lib/base/time.ts";
import { openSmtpServer } from "#test/support/smtp.ts";

const calm = new AbortController().signal;
const look = createTimedRead(calm, 10 * SECOND), hasty = createTimedRead(calm, 100);
const short = ({ level, message: told }: Finding) => `${level}: ${told}`;

const domain = suite("lookAtDomain");

domain("a name that nobody uses is asked for under the domain, another each time.", async () => {
  const asked: string[] = [];
  const resolve = (name: string) => Promise.resolve((asked.push(name), ["203.0.113.7", "2001:db8::7"]));
  const found = await checkDomain("spokes.example.org", look, resolve);
  assert.is(short(found), "ok: *.spokes.example.org resolves to 203.0.113.7 and 2001:db8::7");
  await checkDomain("spokes.example.org", look, resolve);
  assert.ok(asked.every((name) => /^doctor-[0-9a-f]{8}\.spokes\.example\.org$/.test(name)), asked.join());
  assert.not(asked[0] === asked[1], "an answer that is remembered proves nothing");
});

domain("no such name is a warning with the record that is missing.", async () => {
  const { level, message: told, hint } = await checkDomain("spokes.example.org", look, () => Promise.resolve([]));
  assert.equal([level, told], ["warning", "*.spokes.example.org does not resolve"]);
  assert.match(hint!, "wildcard record *.spokes.example.org");
});

domain("name servers that fail or hang are a warning.", async () => {
  const broken = () => Promise.reject(Object.assign(new Error("queryA ESERVFAIL"), { code: "ESERVFAIL" }));
  assert.match(
    short(await checkDomain("example.org", look, broken)),
    /^warning: .* could not be resolved: queryA ESERVFAIL/,
  );
  const found = await checkDomain("example.org", hasty, () => new Promise(() => {}));
  assert.match(short(found), /^warning: .* no answer within 0\.1 s$/);
});

domain("localhost asks nobody.", async () => {
  const never = () => Promise.reject(new Error("asked"));
  assert.match(
    short(await checkDomain("spokes.localhost", look, never)),
    /^warning: \*\.spokes\.localhost resolves to the local machine/,
  );
});

const mail = suite("lookAtMail");

/** Runs a server that calls this for each connection and records what it receives. */
async function greeted(greet: (socket: Socket) => void, use = look): Promise<{ found: Finding; sent: string }> {
  const sockets = new Set<Socket>();
  let sent = "";
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // gone without a word: what some of these tests are about
    socket.on("data", (bytes) => sent += bytes);
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    const found = await checkMail({
      host: "127.0.0.1",
      port,
      user: null,
      pass: null,
      from: "a@example.org",
      encryption: "opportunistic" as const,
    }, use);
    return { found: { ...found, message: found.message.replace(String(port), "PORT") }, sent };
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Accepts every command. */
function agree(socket: Socket): void {
  socket.on("data", () => socket.write("250 mx.example\r\n"));
}

const OFFERED = "TLS is used only if the server offers it; set SMTP_TLS=required to enforce it";

mail("a server that greets is right, and is sent no mail.", async () => {
  const { found, sent } = await greeted((socket) => {
    socket.write("220 mx.example ESMTP ready\r\n");
    agree(socket);
  });
  assert.is(short(found), `ok: 127.0.0.1:PORT answers; ${OFFERED}`);
  assert.not.match(sent, /MAIL|RCPT|DATA/);
});

mail("a server that lets us in is right, and one that does not is a warning with its words.", async () => {
  const auth = { user: "hubs", pass: "a password" }, smtp = await openSmtpServer({ auth });
  const place = { host: "127.0.0.1", port: smtp.port, from: "a@example.org", encryption: "opportunistic" as const };
  const right = await checkMail({ ...place, ...auth }, look);
  const wrong = await checkMail({ ...place, ...auth, pass: "tiger & cat" }, look);
  await smtp.close();
  assert.is(short(right), `ok: 127.0.0.1:${smtp.port} answers, and accepts SMTP_USER and SMTP_PASS; ${OFFERED}`);
  assert.match(short(wrong), /^warning: The mail server .* rejected the login: 535 5\.7\.8 Not with \*\*\*$/);
  assert.match(wrong.hint!, "SMTP_PASS");
  assert.is(smtp.mails.length, 0);
});

mail(
  "a server that offers no TLS is a warning where it is required, and told to get none where it is off.",
  async () => {
    const smtp = await openSmtpServer({ auth: { user: "hubs", pass: "a password" } });
    const place = { host: "127.0.0.1", port: smtp.port, from: "a@example.org", user: "hubs", pass: "a password" };
    const required = await checkMail({ ...place, encryption: "required" }, look);
    const off = await checkMail({ ...place, encryption: "off" }, look);
    await smtp.close();
    assert.match(short(required), /^warning: The mail server .* failed TLS: /);
    assert.match(required.hint!, /SMTP_TLS=required the server must offer TLS/);
    assert.match(short(off), /^ok: .*; TLS is never used \(SMTP_TLS=off\)$/);
  },
);

mail("a server whose certificate is no good is a warning.", async () => {
  const smtp = await openSmtpServer({ tls: "starttls" });
  const place = {
    host: "127.0.0.1",
    port: smtp.port,
    user: null,
    pass: null,
    from: "a@example.org",
    encryption: "opportunistic" as const,
  };
  const { level, message: told } = await checkMail(place, look);
  await smtp.close();
  assert.is(level, "warning");
  assert.match(told, /failed TLS/);
});

mail("a greeting in pieces is put together.", async () => {
  const { found } = await greeted((socket) => {
    socket.setNoDelay();
    socket.write("22");
    setTimeout(() => socket.write("0 mx\r\n"), 20);
    agree(socket);
  });
  assert.is(found.level, "ok");
});

mail("whatever else answers is a warning.", async () => {
  const { found } = await greeted((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  assert.is(short(found), "warning: 127.0.0.1:PORT does not answer like a mail server: HTTP/1.1 400 Bad Request");
  const refused = await greeted((socket) => socket.write("554 go away\r\n"));
  assert.is(refused.found.level, "warning");
});

mail("a line without an end is not read for ever.", async () => {
  const { found } = await greeted((socket) => socket.write("2".repeat(5000)));
  assert.match(short(found), /^warning: 127.0.0.1:PORT does not answer like a mail server: 2{80}$/);
});

mail("one that hangs, closes or is not there is a warning.", async () => {
  const hanging = await greeted(() => {}, hasty);
  assert.match(short(hanging.found), /^warning: cannot reach .*: no answer within 0\.1 s$/);
  const closing = await greeted((socket) => socket.end());
  assert.match(short(closing.found), /^warning: .* the server closed the connection without a greeting$/);
  const nobody = await checkMail({
    host: "127.0.0.1",
    port: 1,
    user: null,
    pass: null,
    from: "a@example.org",
    encryption: "opportunistic" as const,
  }, look);
  assert.match(short(nobody), /^warning: cannot reach 127\.0\.0\.1:1: .*(ECONNREFUSED|refused)/);
});

mail("none at all is a warning.", async () => {
  assert.match(short(await checkMail(null, look)), /^warning: SMTP_HOST is not set/);
});

mail("that sites cannot send is a warning, though the service has a mail server.", () => {
  assert.match(short(checkRelay(null)), /^warning: SPOKE_SMTP_HOST is not set: sites cannot send mail$/);
  const relay = { host: "relay.example", port: 587, user: null, secret: null, from: null };
  assert.is(short(checkRelay(relay)), "ok: sites send mail through relay.example:587");
  assert.is(
    short(checkRelay({ ...relay, user: "${namespace}" })),
    "ok: sites send mail through relay.example:587, each with its own account",
  );
});

domain.run();
mail.run();
