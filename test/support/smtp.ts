/** Runs a mail server for tests. The server accepts emails, or misbehaves as the test configures.
 *
 *   const smtp = await openSmtp();
 *   const scene = await openScene({ env: smtp.env });
 *   const mail = await smtp.next("ada@example.org");   // mail.subject, .text, .html, .link, .token, .headers
 *   await smtp.close();
 *
 * The scene only queues emails; mail-sender.ts sends them. */
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { CERTIFICATE, CERTIFICATE_KEY } from "#test/support/kube/certificate.ts";
import { parseMime } from "#test/support/parse-mime.ts";
import { until } from "#test/support/until.ts";

export interface ReceivedMail {
  /** The recipient's address from the SMTP envelope. */
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The decoded headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first URL with a token in the email's text. `token` is the token in this URL. */
  readonly link: string | null;
  readonly token: string | null;
  /** The whole email as received. */
  readonly raw: string;
  /** Whether the client used TLS to send the email, the signed-in user, and whether the client requested SMTPUTF8. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly utf8: boolean;
}

/** Rules for how the server responds. A response is a line such as `550 5.1.1 No such user`. Null means success. */
export interface SmtpRules {
  /** Whether the server hangs instead of sending its greeting or its response to an email's data. */
  hang?: "greeting" | "data" | undefined;
  /** Whether the server accepts an email but disconnects before confirming it. */
  drop?: boolean | undefined;
  sender?: ((address: string) => string | null) | undefined;
  recipient?: ((address: string) => string | null) | undefined;
  /** Returns the response to an email. A response that starts with `250` also accepts the email. */
  data?: ((raw: string) => string | null) | undefined;
}

export interface SmtpServerOptions {
  readonly auth?: { readonly user: string; readonly pass: string };
  /** Whether TLS starts immediately or with STARTTLS. By default, no TLS. The certificate is for kube.test. */
  readonly tls?: "at once" | "starttls";
  /** The port to listen on. Defaults to a free port. */
  readonly port?: number;
}

export interface SmtpServer {
  readonly port: number;
  /** Configuration variables that make the program use this mail server. */
  readonly env: Readonly<Record<string, string>>;
  /** The received emails, in order of arrival. */
  readonly mails: readonly ReceivedMail[];
  /** The current rules. A test can change the rules at any time. */
  readonly rules: SmtpRules;
  /** Returns the number of connections so far, and the number of open connections. */
  connections(): { readonly all: number; readonly open: number };
  /** Returns the number of sign-in attempts with a password. */
  logins(): number;
  /** Returns the number of received emails to which the server has not responded. */
  hanging(): number;
  /** Closes all open connections. */
  hangUp(): void;
  /** Returns the next email to this address. If necessary, waits until an email arrives. */
  next(to: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

export async function openSmtpServer({ auth, tls, port = 0 }: SmtpServerOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [], taken = new Set<ReceivedMail>(), rules: SmtpRules = {};
  let all = 0, logins = 0;
  const waiting = new Set<string>();
  const server = new SMTPServer(
    {
      secure: tls === "at once",
      ...(tls && { key: CERTIFICATE_KEY, cert: CERTIFICATE }),
      hideSTARTTLS: tls !== "starttls",
      disabledCommands: [...(auth ? [] : ["AUTH"]), ...(tls === "starttls" ? [] : ["STARTTLS"])],
      authOptional: !auth,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      closeTimeout: 1,
      logger: false,
      onConnect(_, callback) {
        all++;
        if (rules.hang !== "greeting") callback();
      },
      onClose: ({ id }) => void waiting.delete(id),
      onAuth({ username, password }, _, callback) {
        logins++;
        const right = username === auth?.user && password === auth?.pass;
        if (right) callback(null, { user: username });
        else callback(refusal(`535 5.7.8 Not with ${password}`));
      },
      onMailFrom: ({ address }, _, callback) => callback(refusal(rules.sender?.(address))),
      onRcptTo: ({ address }, _, callback) => callback(refusal(rules.recipient?.(address))),
      onData(stream, session, callback) {
        const chunks: Uint8Array[] = [];
        stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        stream.on("end", () => {
          const raw = Buffer.concat(chunks).toString("utf8");
          if (rules.hang === "data") {
            waiting.add(session.id);
            return;
          }
          const answer = rules.data?.(raw) ?? "250 Thanks", consents = answer.startsWith("250 ");
          if (consents) mails.push(receive(raw, session));
          if (!rules.drop) return consents ? callback(null, answer.slice(4)) : callback(refusal(answer));
          hangUp();
        });
      },
    } satisfies SMTPServerOptions,
  );
  const hangUp = () => {
    for (const { _socket } of server.connections as unknown as Iterable<{ _socket: { destroy(): void } }>) {
      _socket.destroy();
    }
  };
  server.on("error", () => {}); // expected: some tests disconnect or reject the certificate
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.server.address() as { port: number };
  return {
    port: address.port,
    env: {
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(address.port),
      SMTP_FROM: "Hubs <hubs@example.org>",
      ...(auth && { SMTP_USER: auth.user, SMTP_PASS: auth.pass }),
    },
    mails,
    rules,
    connections: () => ({ all, open: server.connections.size }),
    logins: () => logins,
    hanging: () => waiting.size,
    hangUp,
    next: (to) =>
      until(() => {
        const mail = mails.find((each) => each.to === to && !taken.has(each));
        if (mail) taken.add(mail);
        return mail;
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function refusal(answer: string | null | undefined): Error | null {
  if (!answer) return null;
  return Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) });
}

function receive(raw: string, { envelope, secure, user }: SMTPServerSession): ReceivedMail {
  const { headers, text, html } = parseMime(raw);
  const [link = null] = /https?:\/\/\S+[?&]token=[\w-]+/.exec(text) ?? [];
  return {
    to: envelope.rcptTo[0]!.address,
    from: envelope.mailFrom ? envelope.mailFrom.address : "",
    subject: headers.subject ?? "",
    text,
    html,
    headers,
    link,
    token: link && new URL(link).searchParams.get("token"),
    raw,
    secure,
    user: user ?? null,
    utf8: envelope.smtpUtf8 === true,
  };
}
