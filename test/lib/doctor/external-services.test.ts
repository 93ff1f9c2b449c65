import { createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Finding } from "#lib/doctor/finding.ts";
import { createReadWithTimeout } from "#lib/doctor/timed-read.ts";
import { checkDomain, checkMail, checkMailRelay } from "#lib/doctor/external-services.ts";
import { SECOND } from "#lib/base/time.ts";
import { openSmtpServer } from "#test/support/smtp.ts";

const calm = new AbortController().signal;
const timedRead = createReadWithTimeout(calm, 10 * SECOND), hasty = createReadWithTimeout(calm, 100);
const short = ({ level, message }: Finding) => `${level}: ${message}`;

const domain = suite("checkDomain");

domain("resolves a new random name each time", async () => {
  const names: string[] = [];
  const resolve = (name: string) => Promise.resolve((names.push(name), ["203.0.113.7", "2001:db8::7"]));
  const finding = await checkDomain("spokes.example.org", timedRead, resolve);
  assert.is(short(finding), "ok: *.spokes.example.org resolves to 203.0.113.7 and 2001:db8::7");
  await checkDomain("spokes.example.org", timedRead, resolve);
  assert.ok(names.every((name) => /^doctor-[0-9a-f]{8}\.spokes\.example\.org$/.test(name)), names.join());
  assert.not(names[0] === names[1], "a cached answer would prove nothing");
});

domain("warns with the missing DNS record", async () => {
  const { level, message, hint } = await checkDomain("spokes.example.org", timedRead, () => Promise.resolve([]));
  assert.equal([level, message], ["warning", "*.spokes.example.org does not resolve"]);
  assert.match(hint!, "wildcard record *.spokes.example.org");
});

domain("warns if name servers fail or hang", async () => {
  const broken = () => Promise.reject(Object.assign(new Error("queryA ESERVFAIL"), { code: "ESERVFAIL" }));
  assert.match(
    short(await checkDomain("example.org", timedRead, broken)),
    /^warning: .* could not be resolved: queryA ESERVFAIL/,
  );
  const finding = await checkDomain("example.org", hasty, () => new Promise(() => {}));
  assert.match(short(finding), /^warning: .* no answer within 0\.1 s$/);
});

domain("does not resolve localhost", async () => {
  const never = () => Promise.reject(new Error("asked"));
  assert.match(
    short(await checkDomain("spokes.localhost", timedRead, never)),
    /^warning: \*\.spokes\.localhost resolves to the local machine/,
  );
});

const mail = suite("checkMail");

/** Runs checkMail against a server that calls `greet` for each connection. Returns the finding and the received data. */
async function checkServer(
  greet: (socket: Socket) => void,
  use = timedRead,
): Promise<{ found: Finding; sent: string }> {
  const sockets = new Set<Socket>();
  let sent = "";
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // some tests close connections
    socket.on("data", (bytes) => sent += bytes);
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    const finding = await checkMail({
      host: "127.0.0.1",
      port,
      user: null,
      pass: null,
      from: "a@example.org",
      encryption: "opportunistic" as const,
    }, use);
    return { found: { ...finding, message: finding.message.replace(String(port), "PORT") }, sent };
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Replies 250 to every command. */
function agree(socket: Socket): void {
  socket.on("data", () => socket.write("250 mx.example\r\n"));
}

const OFFERED = "TLS is used only if the server offers it; set SMTP_TLS=required to enforce it";

mail("accepts a server that greets, and sends no mail", async () => {
  const { found: finding, sent } = await checkServer((socket) => {
    socket.write("220 mx.example ESMTP ready\r\n");
    agree(socket);
  });
  assert.is(short(finding), `ok: 127.0.0.1:PORT answers; ${OFFERED}`);
  assert.not.match(sent, /MAIL|RCPT|DATA/);
});

mail("accepts a valid login, and warns about a rejected one", async () => {
  const auth = { user: "hubs", pass: "a password" }, smtp = await openSmtpServer({ auth });
  const place = { host: "127.0.0.1", port: smtp.port, from: "a@example.org", encryption: "opportunistic" as const };
  const right = await checkMail({ ...place, ...auth }, timedRead);
  const wrong = await checkMail({ ...place, ...auth, pass: "tiger & cat" }, timedRead);
  await smtp.close();
  assert.is(short(right), `ok: 127.0.0.1:${smtp.port} answers, and accepts SMTP_USER and SMTP_PASS; ${OFFERED}`);
  assert.match(short(wrong), /^warning: The mail server .* rejected the login: 535 5\.7\.8 Not with \*\*\*$/);
  assert.match(wrong.hint!, "SMTP_PASS");
  assert.is(smtp.mails.length, 0);
});

mail(
  "warns without TLS if it is required, and reports that it is off",
  async () => {
    const smtp = await openSmtpServer({ auth: { user: "hubs", pass: "a password" } });
    const place = { host: "127.0.0.1", port: smtp.port, from: "a@example.org", user: "hubs", pass: "a password" };
    const required = await checkMail({ ...place, encryption: "required" }, timedRead);
    const off = await checkMail({ ...place, encryption: "off" }, timedRead);
    await smtp.close();
    assert.match(short(required), /^warning: The mail server .* failed the TLS handshake: /);
    assert.match(required.hint!, /SMTP_TLS=required the server must offer STARTTLS/);
    assert.match(short(off), /^ok: .*; TLS is never used \(SMTP_TLS=off\)$/);
  },
);

mail("warns about an invalid certificate", async () => {
  const smtp = await openSmtpServer({ tls: "starttls" });
  const place = {
    host: "127.0.0.1",
    port: smtp.port,
    user: null,
    pass: null,
    from: "a@example.org",
    encryption: "opportunistic" as const,
  };
  const { level, message } = await checkMail(place, timedRead);
  await smtp.close();
  assert.is(level, "warning");
  assert.match(message, /failed the TLS handshake/);
});

mail("reads a greeting that arrives in parts", async () => {
  const { found: finding } = await checkServer((socket) => {
    socket.setNoDelay();
    socket.write("22");
    setTimeout(() => socket.write("0 mx\r\n"), 20);
    agree(socket);
  });
  assert.is(finding.level, "ok");
});

mail("warns if the server is not a mail server", async () => {
  const { found: finding } = await checkServer((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  assert.is(short(finding), "warning: 127.0.0.1:PORT does not answer like a mail server: HTTP/1.1 400 Bad Request");
  const refused = await checkServer((socket) => socket.write("554 go away\r\n"));
  assert.is(refused.found.level, "warning");
});

mail("limits the length of the greeting", async () => {
  const { found: finding } = await checkServer((socket) => socket.write("2".repeat(5000)));
  assert.match(short(finding), /^warning: 127.0.0.1:PORT does not answer like a mail server: 2{80}$/);
});

mail("warns if the server hangs, closes or is unreachable", async () => {
  const hanging = await checkServer(() => {}, hasty);
  assert.match(short(hanging.found), /^warning: cannot reach .*: no answer within 0\.1 s$/);
  const closing = await checkServer((socket) => socket.end());
  assert.match(short(closing.found), /^warning: .* the server closed the connection without a greeting$/);
  const nobody = await checkMail({
    host: "127.0.0.1",
    port: 1,
    user: null,
    pass: null,
    from: "a@example.org",
    encryption: "opportunistic" as const,
  }, timedRead);
  assert.match(short(nobody), /^warning: cannot reach 127\.0\.0\.1:1: .*(ECONNREFUSED|refused)/);
});

mail("warns without SMTP_HOST", async () => {
  assert.match(short(await checkMail(null, timedRead)), /^warning: SMTP_HOST is not set/);
});

mail("warns without a mail relay for sites", () => {
  assert.match(short(checkMailRelay(null)), /^warning: SPOKE_SMTP_HOST is not set: sites cannot send mail$/);
  const relay = { host: "relay.example", port: 587, user: null, secret: null, from: null };
  assert.is(short(checkMailRelay(relay)), "ok: sites send mail through relay.example:587");
  assert.is(
    short(checkMailRelay({ ...relay, user: "${namespace}" })),
    "ok: sites send mail through relay.example:587, each with its own account",
  );
});

domain.run();
mail.run();
