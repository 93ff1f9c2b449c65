/** The post that the configuration asks for: over SMTP, into files, or none, and then mail stays in the queue. */
import type { Config } from "#lib/base/config.ts";
import { openFiles } from "#lib/drivers/mail/files.ts";
import type { Post } from "#lib/drivers/mail/post.ts";
import { openSmtp } from "#lib/drivers/mail/smtp.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";

export function openPost(config: Config, telemetry: Telemetry = NO_TELEMETRY): Post | null {
  const post = choosePost(config);
  return post && { ...post, send: (mail, signal) => telemetry.span("mail", {}, () => post.send(mail, signal)) };
}

function choosePost({ smtp, mailDirectory, publicUrl }: Config): Post | null {
  if (smtp) return openSmtp({ ...smtp, name: publicUrl.hostname });
  return mailDirectory === null ? null : openFiles(mailDirectory, publicUrl.hostname);
}
