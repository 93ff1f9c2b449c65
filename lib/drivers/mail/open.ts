/** Creates the email transport: SMTP or files. Returns null if no transport is configured; emails then stay queued. */
import type { Config } from "#lib/base/config.ts";
import { openFileTransport } from "#lib/drivers/mail/file-transport.ts";
import type { MailTransport } from "#lib/drivers/mail/transport.ts";
import { openSmtpTransport } from "#lib/drivers/mail/smtp.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";

export function openMailTransport(config: Config, telemetry: Telemetry = NO_TELEMETRY): MailTransport | null {
  const transport = chooseTransport(config);
  return transport &&
    { ...transport, send: (mail, signal) => telemetry.span("mail", {}, () => transport.send(mail, signal)) };
}

function chooseTransport({ smtp, mailDirectory, publicUrl }: Config): MailTransport | null {
  if (smtp) return openSmtpTransport({ ...smtp, name: publicUrl.hostname });
  return mailDirectory === null ? null : openFileTransport(mailDirectory, publicUrl.hostname);
}
