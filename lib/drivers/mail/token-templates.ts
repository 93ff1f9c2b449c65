/** Returns the content of the email about API tokens that expire soon. */
import {
  formatDate,
  formatMailTimestamp,
  type MailContent,
  noteBlock,
  paragraphBlock,
} from "#lib/drivers/mail/content.ts";
import type { ExpiringToken, MailTemplateData } from "#lib/drivers/mail/letter.ts";
import { cleanName, MAX_NAME, MAX_SUBJECT_NAME, preventAutoLink } from "#lib/drivers/mail/names.ts";

export const TOKEN_TEMPLATES = {
  "tokens-expiring": ({ tokens, more }: MailTemplateData["tokens-expiring"], host: string): MailContent => {
    const [first] = tokens, all = tokens.length + more;
    if (!first) throw new Error("The email lists no tokens");
    const what = all === 1 ? `Your API token ${preventAutoLink(first.name, MAX_SUBJECT_NAME)}` : `${all} API tokens`;
    return {
      subject: all === 1
        ? `${what} expires on ${formatDate(first.expiresAt)}`
        : `${what} expire soon, the first on ${formatDate(first.expiresAt)}`,
      preview: "Programs that still use it then get the error 401.",
      title: all === 1 ? "An API token expires soon" : "API tokens expire soon",
      blocks: [
        paragraphBlock(`${all === 1 ? "This API token" : "These API tokens"} at ${host} will stop working:`),
        { kind: "list", items: [...tokens.map(describeToken), ...(more > 0 ? [`and ${more} more`] : [])] },
        paragraphBlock(
          "If a program still needs the token, create a new one: in the portal under API tokens, or with " +
            "wheelwright tokens create. Give it to the program, and then revoke the old token.",
        ),
        noteBlock("If nobody needs the token, no action is needed. If you did not create it, change your password."),
      ],
    };
  },
};

function describeToken({ name, prefix, expiresAt, lastUsedAt, ip, userAgent }: ExpiringToken): string {
  const from = ip === "" ? "" : ` from ${cleanName(ip, MAX_NAME)}`;
  const agent = userAgent === "" ? "" : ` by ${preventAutoLink(userAgent, MAX_NAME)}`;
  const use = lastUsedAt === null ? "never used" : `last used ${formatMailTimestamp(lastUsedAt)}${from}${agent}`;
  return `${preventAutoLink(name, MAX_NAME)} (${cleanName(prefix, MAX_NAME)}…): expires ${
    formatMailTimestamp(expiresAt)
  }, ${use}`;
}
