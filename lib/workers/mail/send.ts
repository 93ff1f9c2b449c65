/**
 * Sends an email at least once. After a crash, the email is sent again with the same Message-ID. Each attempt creates a
 * new secret for the link in the email and stores only its hash. All these links work until one of them is used.
 */
import type { App } from "#lib/app.ts";
import { clearRefusedMail, recordRefusedMail } from "#lib/domains/auth/refused-mail.ts";
import { addOneTimeTokenSecret } from "#lib/domains/auth/one-time-tokens.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { MAIL_JOB_KIND, type MailPayload } from "#lib/jobs/mail.ts";
import { extractServerReply, isPermanentRejection } from "#lib/drivers/mail/refusals.ts";
import { type Mail, MailError, type MailTransport } from "#lib/drivers/mail/transport.ts";
import { buildMailLink, getPublicPageUrl, hasOneTimeLink, renderMail } from "#lib/drivers/mail/render.ts";
import { createHandler, type JobHandler, type RunOf } from "#lib/scheduler/handler.ts";
import { backoffDelay, MINUTE, SECOND } from "#lib/base/time.ts";
import { PASSWORD_RESET_LINK_JOB, sendResetLink } from "#lib/domains/auth/forgot-password.ts";
import { processSignup, SIGNUP_JOB } from "#lib/domains/auth/signup.ts";

/** The delay before the second attempt and the longest delay between attempts, in milliseconds. */
export interface MailRetryDelays {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The delay between attempts grows from 2 seconds to 15 minutes, so that emails survive a long mail server outage. */
const RETRY: MailRetryDelays = { firstMs: 2 * SECOND, maxMs: 15 * MINUTE };

export function sendMail(
  { config, log }: Pick<App, "config" | "log">,
  transport: MailTransport,
  retry = RETRY,
): JobHandler {
  return createHandler({
    kind: MAIL_JOB_KIND,
    steps: {
      async send(run) {
        try {
          await send(run, transport, config.publicUrl);
        } catch (error) {
          throw error instanceof MailError && error.transient ? withRetryDelay(error, run, retry) : error;
        }
      },
    },
    hooks: {
      // Runs after the step rather than in it, because an error in the step would send the email again.
      async onSucceeded(tx, job) {
        await clearRefusedMail(tx, job.payload.letter.to.email);
        return {};
      },
      // Logs the error, because users do not see mail jobs.
      async onFailed(tx, job, report) {
        const { letter } = job.payload;
        log.error("Cannot send an email; giving up", {
          operation: job.id,
          template: letter.template,
          to: letter.to.email,
          reason: report.message,
          ...(report.hint !== null && { hint: report.hint }),
        });
        if (!isPermanentRejection(report.code)) return {};
        const { template, to: { email } } = letter;
        return { audit: await recordRefusedMail(tx, { email, template, reason: extractServerReply(report.message) }) };
      },
    },
  });
}

async function send(run: RunOf<typeof MAIL_JOB_KIND>, transport: MailTransport, home: URL): Promise<void> {
  const { payload } = run.job, { letter } = payload;
  const about = { template: letter.template, to: letter.to.email };
  const preparation = await run.write((tx) => prepare(tx, payload));
  if ("reason" in preparation) {
    return run.log.info("Skipped an email that is no longer needed", { ...about, reason: preparation.reason });
  }
  const link = preparation.secret === null
    ? getPublicPageUrl(letter.template, home)
    : buildMailLink(letter.template, home, preparation.secret);
  const mail: Mail = {
    id: `${run.job.id}@${home.hostname}`,
    template: letter.template,
    to: letter.to,
    ...renderMail(letter, home, link),
    link,
  };
  run.throwIfStopped();
  const { answer, file } = await transport.send(mail, run.signal);
  if (file === null) return run.log.info("Sent an email", { ...about, messageId: mail.id, answer });
  run.log.info(`Wrote an email to ${letter.to.email}: ${file}`, { template: letter.template, link: link ?? undefined });
}

/**
 * Returns the secret for the link in the email, or null if the email has no secret link. If the email is no longer
 * needed, returns the `reason` instead.
 */
async function prepare(
  tx: Tx,
  { letter, grantId }: MailPayload,
): Promise<{ readonly secret: string | null } | { readonly reason: string }> {
  const user = await tx.selectFrom("users").select("disabledAt").where("email", "=", letter.to.email)
    .executeTakeFirst();
  if (user?.disabledAt) return { reason: "The user was disabled" };
  if (!hasOneTimeLink(letter.template)) return { secret: null };
  if (grantId === null) throw new Error(`An email with template ${letter.template} needs the ID of a one-time token`);
  const secret = await addOneTimeTokenSecret(tx, grantId);
  return secret === null ? { reason: "The link was used or revoked, or it expired" } : { secret };
}

function withRetryDelay(
  { code, message, blame, hint }: MailError,
  { job }: RunOf<typeof MAIL_JOB_KIND>,
  { firstMs: first, maxMs: most }: MailRetryDelays,
): MailError {
  return new MailError(code, message, {
    transient: true,
    blame,
    ...(hint !== undefined && { hint }),
    retryAfterMs: backoffDelay(job.attempt, first, most),
  });
}

/** Creates the handler that emails a password reset link once the HTTP response has been sent; see lib/domains/auth. */
export function forgottenPasswordHandler(): JobHandler {
  return createHandler({
    kind: PASSWORD_RESET_LINK_JOB,
    steps: { answer: ({ job, write }) => write((tx) => sendResetLink(tx, job.requester, job.payload.email)) },
  });
}

export function signupHandler(): JobHandler {
  return createHandler({
    kind: SIGNUP_JOB,
    steps: { answer: ({ job, write }) => write((tx) => processSignup(tx, job.requester, job.id, job.payload)) },
  });
}
