/** Connects a test mail server and a mail transport. */
import type { Mail, MailError, MailTransport } from "#lib/drivers/mail/transport.ts";
import { openSmtpTransport as openPost, type SmtpOptions } from "#lib/drivers/mail/smtp.ts";
import { openSmtpServer, type SmtpServer, type SmtpServerOptions } from "#test/support/smtp.ts";
import { rejection, until } from "#test/support/until.ts";

export const TOKEN = "6yZ0sW3n1qXvB8rTkLp2mJdFhGcA9uEoIiYxNwQzV4s";
const LINK = `https://hubs.example.org/invite?token=${TOKEN}`;
export const NEVER_ABORTED_SIGNAL = new AbortController().signal;

export const mail: Mail = {
  id: "op_1@hubs.example.org",
  template: "invitation",
  to: { email: "ada@example.org", name: "Ada" },
  subject: "Hello",
  text: `Hello, ${LINK}`,
  html: "<p>Hello</p>",
  link: LINK,
};

export interface SmtpPair {
  readonly smtp: SmtpServer;
  readonly post: MailTransport;
}

/** Runs the work with a mail server and a transport to it. */
export async function withSmtpPair(
  setting: SmtpServerOptions,
  options: Partial<SmtpOptions>,
  work: (pair: SmtpPair) => Promise<void>,
): Promise<void> {
  const smtp = await openSmtpServer(setting);
  const account = setting.auth ?? { user: null, pass: null };
  const place = { host: "127.0.0.1", port: smtp.port, from: "Hubs <hubs@example.org>", name: "hubs.example.org" };
  const post = openPost({ ...place, ...account, encryption: "opportunistic", ...options });
  try {
    await work({ smtp, post });
  } finally {
    post.close();
    await smtp.close();
  }
}

export async function failure({ post }: SmtpPair): Promise<MailError> {
  return await rejection(post.send(mail, NEVER_ABORTED_SIGNAL)) as MailError;
}

export const LONG = 60_000;

/** Returns the promise's result, long before LONG has passed. */
export async function soon<T>(promise: Promise<T>): Promise<T> {
  const done: T[] = [];
  promise.then((value) => done.push(value), () => {});
  await until(() => done.length > 0, LONG / 4);
  return done[0]!;
}
