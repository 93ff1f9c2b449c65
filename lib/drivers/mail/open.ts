/** The post that the configuration asks for: over SMTP, into files, or none, and then mail stays in the queue. */
import type { Config } from "#lib/base/config.ts";
import { openFiles } from "#lib/drivers/mail/files.ts";
import type { Post } from "#lib/drivers/mail/post.ts";
import { openSmtp } from "#lib/drivers/mail/smtp.ts";

export function openPost({ smtp, mailDirectory, publicUrl }: Config): Post | null {
  if (smtp) return openSmtp({ ...smtp, name: publicUrl.hostname });
  return mailDirectory === null ? null : openFiles(mailDirectory, publicUrl.hostname);
}
