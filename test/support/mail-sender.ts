/** Sends the queued emails in a test, without a scheduler or mail server.
 *
 *   const postman = await openMailSender(scene.app);
 *   const { subject, text, link, token } = await postman.next("ada@example.org");
 *
 * `next` sends the queued emails and returns the next email to this address. `deliver` only sends emails. `mails`
 * contains all sent emails. With a transport, a real mail server receives the emails. */
import type { App } from "#lib/app.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { createId } from "#lib/base/ids.ts";
import { listSupportedJobKinds } from "#lib/jobs/claim.ts";
import { pollJobQueue } from "#lib/jobs/poll.ts";
import { MAIL_JOB_KIND } from "#lib/jobs/mail.ts";
import type { Mail, MailTransport } from "#lib/drivers/mail/transport.ts";
import { startJob } from "#lib/scheduler/job-changes.ts";
import { startRun } from "#lib/scheduler/runner.ts";
import { sendMail } from "#lib/workers/mail/send.ts";

export interface DeliveredMail extends Mail {
  /** The token in the email's link; null if the email has no link with a token. */
  readonly token: string | null;
}

export interface MailSender {
  readonly mails: readonly DeliveredMail[];
  /** Runs each due email job once. Returns the number of these jobs. */
  deliver(): Promise<number>;
  /** Returns the next email to this address. Throws an error if none is queued. */
  next(to: string): Promise<DeliveredMail>;
}

export async function openMailSender(
  { config, log, db }: Pick<App, "config" | "log" | "db">,
  post?: MailTransport,
): Promise<MailSender> {
  const mails: DeliveredMail[] = [], taken = new Set<DeliveredMail>();
  const handler = sendMail({ config, log }, keepIn(mails, post)), known = listSupportedJobKinds([MAIL_JOB_KIND]);
  const holder = await makeReplica(db), tenure = { signal: new AbortController().signal, throwIfLapsed: () => {} };

  async function deliver(): Promise<number> {
    for (let count = 0;;) {
      const { candidates: due } = await pollJobQueue(db.rows, { supported: known, holder, limit: 100 });
      if (due.length === 0) return count;
      for (const candidate of due) {
        const job = await startJob(db, handler, candidate, known, holder);
        if (!job) continue;
        await startRun({ db, log }, handler, job, tenure).ended;
        count++;
      }
    }
  }

  return {
    mails,
    deliver,
    async next(to) {
      await deliver();
      const mail = mails.find((each) => each.to.email === to && !taken.has(each));
      if (!mail) throw new Error(`No email to ${to}, only to ${mails.map((each) => each.to.email).join(", ")}`);
      taken.add(mail);
      return mail;
    },
  };
}

function keepIn(mails: DeliveredMail[], post?: MailTransport): MailTransport {
  return {
    async send(mail, signal) {
      const receipt = await post?.send(mail, signal) ?? { answer: "250 Kept", file: null };
      mails.push({ ...mail, token: mail.link && new URL(mail.link).searchParams.get("token") });
      return receipt;
    },
    close: () => post?.close(),
  };
}

async function makeReplica(db: Database): Promise<string> {
  const id = createId("rep");
  await db.rows.insertInto("replicas").values({ id, release: "test" }).execute();
  return id;
}
