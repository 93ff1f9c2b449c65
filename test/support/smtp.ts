/** Runs a mail server for tests. It accepts emails, or misbehaves in a way that the test configures.
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
  /** The recipient's address, taken from the SMTP envelope. */
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The decoded headers, keyed by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first URL in the text that contains a token, and that token. */
  readonly link: string | null;
  readonly token: string | null;
  /** The whole email, as the server received it. */
  readonly raw: string;
  /** Whether the email came over TLS, the user who had logged in, and whether the client requested SMTPUTF8. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly utf8: boolean;
}

/** How the server misbehaves. A response is a line such as `550 5.1.1 No such user`. Null accepts the command. */
export interface SmtpRules {
  /** Whether the server hangs instead of sending its greeting, or its response to an email's data. */
  hang?: "greeting" | "data" | undefined;
  /** Whether the server accepts an email but disconnects before confirming it. */
  drop?: boolean | undefined;
  sender?: ((address: string) => string | null) | undefined;
  recipient?: ((address: string) => string | null) | undefined;
  /** Returns the response to an email. Any response that starts with `250` also accepts the email. */
  data?: ((raw: string) => string | null) | undefined;
}

export interface SmtpServerOptions {
  readonly auth?: { readonly user: string; readonly pass: string };
  /** Whether TLS starts at once or with STARTTLS. By default, there is no TLS. The certificate is for kube.test. */
  readonly tls?: "at once" | "starttls";
  /** The port to listen on. By default, a free port is chosen. */
  readonly port?: number;
}

export interface SmtpServer {
  readonly port: number;
  /** Configuration variables that make the program use this mail server. */
  readonly env: Readonly<Record<string, string>>;
  /** The emails that were received, in the order in which they arrived. */
  readonly mails: readonly ReceivedMail[];
  /** The rules that currently apply. A test may change them at any time. */
  readonly rules: SmtpRules;
  /** Returns how many connections there have been, and how many of them are still open. */
  connections(): { readonly all: number; readonly open: number };
  /** Returns how many times clients have sent a password. */
  logins(): number;
  /** Returns how many emails the server has received but not yet responded to. */
  hanging(): number;
  /** Closes all connections that are open. */
  hangUp(): void;
  /** Returns the first email to this address that `next` has not returned before. Waits for one if necessary. */
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
  server.on("error", () => {}); // some tests disconnect or reject the certificate
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
