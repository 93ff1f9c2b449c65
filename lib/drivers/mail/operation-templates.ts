/** Returns the content of the emails about backups, restores, rollouts and webhooks. */
import { type MailContent, paragraphBlock } from "#lib/drivers/mail/content.ts";
import type { MailTemplate, MailTemplateData } from "#lib/drivers/mail/letter.ts";
import { cleanLines, cleanName, MAX_NAME, MAX_SUBJECT_NAME, preventAutoLink } from "#lib/drivers/mail/names.ts";

type OperationTemplate = Extract<
  MailTemplate,
  "backup-unverified" | "restore-requested" | `rollout-${string}` | "webhook-disabled"
>;

export const OPERATION_TEMPLATES: {
  readonly [T in OperationTemplate]: (about: MailTemplateData[T], host: string) => MailContent;
} = {
  "backup-unverified": ({ spokeId, spoke, domain, backupId, reason }, host) => ({
    subject: `A backup of ${preventAutoLink(spoke, MAX_SUBJECT_NAME)} could not be restored`,
    preview: "A restore test failed. The site is not affected.",
    title: "A backup could not be restored",
    blocks: [
      paragraphBlock(
        `The restore test of the newest backup of ${preventAutoLink(spoke, MAX_NAME)} (${
          preventAutoLink(domain, MAX_NAME)
        }) at ${host} ` +
          "failed. The site itself is not affected. The reason for the failure:",
      ),
      { kind: "quote", text: cleanLines(reason) },
      paragraphBlock(
        `Backup: ${cleanName(backupId, MAX_NAME)} of the spoke ${
          cleanName(spokeId, MAX_NAME)
        }. Fix the cause, then create ` +
          "another backup. You get no further email until a restore test succeeds.",
      ),
    ],
  }),

  "restore-requested": ({ by, spoke, domain, backupId, reason, command }, host) => ({
    subject: `A restore of ${preventAutoLink(spoke, MAX_SUBJECT_NAME)} was requested`,
    preview: "An operator must restore the backup or decline the request.",
    title: "A restore was requested",
    blocks: [
      paragraphBlock(
        `At ${host}, ${cleanName(by, MAX_NAME)} requests a restore of ${preventAutoLink(spoke, MAX_NAME)} ` +
          `(${preventAutoLink(domain, MAX_NAME)}) from the backup ${cleanName(backupId, MAX_NAME)}:`,
      ),
      { kind: "quote", text: cleanLines(reason) },
      paragraphBlock(`To restore the backup, run this command on the server: ${cleanName(command, 200)}`),
      paragraphBlock(
        "The request closes when the restore succeeds. To decline the request, use the spoke's backups page or POST " +
          "/api/restore-requests/{id}/decide. Only a user's first request in an hour is emailed. Your notifications " +
          "show all requests.",
      ),
    ],
  }),

  "rollout-paused": ({ id, action, reason, done, failed, changed }, host) => ({
    subject: `Your rollout was paused: ${cleanName(action, MAX_SUBJECT_NAME)}`,
    preview: "No further operations start until somebody resumes it.",
    title: "Your rollout was paused",
    blocks: [
      paragraphBlock(`The rollout that you started at ${host} (${cleanName(action, MAX_NAME)}) was paused:`),
      { kind: "quote", text: cleanLines(reason) },
      paragraphBlock(
        `${formatCounts({ done, failed, changed })} ` +
          "The others stay unchanged until somebody resumes the rollout.",
      ),
      paragraphBlock(
        `To see why spokes failed, run: wheelwright rollouts show ${cleanName(id, MAX_NAME)}. ` +
          `To continue, run: wheelwright rollouts resume ${cleanName(id, MAX_NAME)}`,
      ),
    ],
  }),

  "rollout-completed": ({ id, action, done, failed, changed }, host) => ({
    subject: `Your rollout is complete: ${cleanName(action, MAX_SUBJECT_NAME)}`,
    preview: formatCounts({ done, failed, changed }),
    title: "Your rollout is complete",
    blocks: [
      paragraphBlock(
        `The rollout that you started at ${host} (${cleanName(action, MAX_NAME)}) is complete. ` +
          formatCounts({ done, failed, changed }),
      ),
      paragraphBlock(`To see the result for each spoke, run: wheelwright rollouts show ${cleanName(id, MAX_NAME)}`),
    ],
  }),

  "webhook-disabled": ({ id, host: receiver, hub, reason }, host) => ({
    subject: `A webhook was disabled: ${preventAutoLink(receiver, MAX_SUBJECT_NAME)}`,
    preview: "It sends no events until somebody enables it.",
    title: "A webhook was disabled",
    blocks: [
      paragraphBlock(
        `The webhook of ${
          hub === "" ? "the installation" : `the hub ${preventAutoLink(hub, MAX_NAME)}`
        } at ${host} that ` +
          `sends events to ${preventAutoLink(receiver, MAX_NAME)} was disabled:`,
      ),
      { kind: "quote", text: cleanLines(reason) },
      paragraphBlock(
        "Once the receiver works, enable the webhook in the portal, or run: " +
          `wheelwright webhooks enable ${cleanName(id, MAX_NAME)}. ` +
          "It continues after the last delivered event. Events are kept for 7 days.",
      ),
    ],
  }),
};

interface Counts {
  readonly done: number;
  readonly failed: number;
  readonly changed: number;
}

function formatCounts({ done, failed, changed }: Counts): string {
  return `Spokes done: ${done} of ${changed}${failed === 0 ? "" : `; failed: ${failed}`}.`;
}
