/**
 * Sends a mail at least once. After a crash the mail is sent again with the same Message-ID.
 * The secret of a link is created when the mail is sent, and only its hash is stored. Each attempt creates its own
 * secret, but all secrets open the same single-use grant.
 */
import type { App } from "#lib/app.ts";
import { clearRefusedMail, recordRefusedMail } from "#lib/domains/auth/refused-mail.ts";
import { addSecret } from "#lib/domains/auth/one-time-tokens.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { MAIL_KIND, type MailPayload } from "#lib/jobs/mail.ts";
import { isPermanentRejection, mailServerReply } from "#lib/drivers/mail/refusals.ts";
import { type Mail, MailError, type MailTransport } from "#lib/drivers/mail/transport.ts";
import { hasOneTimeLink, mailLinkOf, publicPageOf, renderLetter } from "#lib/drivers/mail/render.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { backoffDelay, MINUTE, SECOND } from "#lib/base/time.ts";
import { FORGOTTEN_PASSWORD, sendResetLink } from "#lib/domains/auth/forgot-password.ts";
import { processSignup, type QueuedSignup, SIGNUP } from "#lib/domains/auth/signup.ts";

/** Milliseconds before the second attempt, and the maximum between later ones. */
export interface MailRetry {
  readonly first: number;
  readonly most: number;
}

/** Long enough for a mail server that is down overnight. */
const RETRY: MailRetry = { first: 2 * SECOND, most: 15 * MINUTE };

export function sendMail({ config, log }: Pick<App, "config" | "log">, post: MailTransport, retry = RETRY): Handler {
  return {
    kind: MAIL_KIND,
    steps: {
      async send(run) {
        try {
          await send(run, post, config.publicUrl);
        } catch (error) {
          throw error instanceof MailError && error.transient ? later(error, run, retry) : error;
        }
      },
    },
    hooks: {
      // This runs in the transaction that ends the job, so that the mail is not sent twice.
      async onSucceeded(tx, job) {
        await clearRefusedMail(tx, (job.payload as MailPayload).letter.to.email);
        return {};
      },
      // The error is logged, because no user waits for this job.
      async onFailed(tx, job, report) {
        const { letter } = job.payload as MailPayload;
        log.error("A mail was not sent, and will not be", {
          operation: job.id,
          template: letter.template,
          to: letter.to.email,
          reason: report.message,
          ...(report.hint !== null && { hint: report.hint }),
        });
        if (!isPermanentRejection(report.code)) return {};
        const { template, to: { email } } = letter;
        return { audit: await recordRefusedMail(tx, { email, template, reason: mailServerReply(report.message) }) };
      },
    },
  };
}

async function send(run: Run, post: MailTransport, home: URL): Promise<void> {
  const payload = run.job.payload as MailPayload, { letter } = payload;
  const about = { template: letter.template, to: letter.to.email };
  const found = await run.write((tx) => prepare(tx, payload));
  if ("reason" in found) return run.log.info("A mail is not sent any more", { ...about, reason: found.reason });
  const link = found.secret === null
    ? publicPageOf(letter.template, home)
    : mailLinkOf(letter.template, home, found.secret);
  const mail: Mail = {
    id: `${run.job.id}@${home.hostname}`,
    template: letter.template,
    to: letter.to,
    ...renderLetter(letter, home, link),
    link,
  };
  run.throwIfStopped();
  const { answer, file } = await post.send(mail, run.signal);
  if (file === null) return run.log.info("Sent a mail", { ...about, messageId: mail.id, answer });
  run.log.info(`Mail for ${letter.to.email}: ${file}`, { template: letter.template, link: link ?? undefined });
}

/**
 * Returns the secret for the mail's link, or null if the mail has no link. Returns a reason if the mail is no longer
 * needed.
 */
async function prepare(
  tx: Tx,
  { letter, grantId }: MailPayload,
): Promise<{ readonly secret: string | null } | { readonly reason: string }> {
  const user = await tx.selectFrom("users").select("disabledAt").where("email", "=", letter.to.email)
    .executeTakeFirst();
  if (user?.disabledAt) return { reason: "The user was disabled" };
  if (!hasOneTimeLink(letter.template)) return { secret: null };
  if (grantId === null) throw new Error(`A letter of ${letter.template} needs a grant`);
  const secret = await addSecret(tx, grantId);
  return secret === null ? { reason: "Its link was used, voided or has expired" } : { secret };
}

function later({ code, message, blame, hint }: MailError, run: Run, { first, most }: MailRetry): MailError {
  return new MailError(code, message, {
    transient: true,
    blame,
    ...(hint !== undefined && { hint }),
    retryAfterMs: backoffDelay(run.job.attempt, first, most),
  });
}

/** Returns the handler that processes a password reset or sign-up after the HTTP response; see lib/domains/auth. */
export function forgottenPassword(): Handler {
  return {
    kind: FORGOTTEN_PASSWORD,
    steps: {
      answer: ({ job, write }) => write((tx) => sendResetLink(tx, job.requester, String(job.payload.email))),
    },
  };
}

export function signup(): Handler {
  return {
    kind: SIGNUP,
    steps: {
      answer: ({ job, write }) => write((tx) => processSignup(tx, job.requester, job.id, job.payload as QueuedSignup)),
    },
  };
}
