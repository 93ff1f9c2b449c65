/**
 * Creates the email transport: SMTP or files. Returns null if no transport is configured; emails then stay queued. The
 * first email loads the transport's modules, because they are large and a start need not wait for them.
 */
import type { Config } from "#lib/base/config.ts";
import type { MailTransport } from "#lib/drivers/mail/transport.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";

export function openMailTransport(config: Config, telemetry: Telemetry = NO_TELEMETRY): MailTransport | null {
  const load = chooseTransport(config);
  if (!load) return null;
  let loaded: Promise<MailTransport> | undefined;
  return {
    send: (mail, signal) => telemetry.span("mail", {}, async () => (await (loaded ??= load())).send(mail, signal)),
    close: () => void loaded?.then((transport) => transport.close(), () => {}),
  };
}

function chooseTransport({ smtp, mailDirectory, publicUrl }: Config): (() => Promise<MailTransport>) | null {
  const { hostname: name } = publicUrl;
  if (smtp) return async () => (await import("#lib/drivers/mail/smtp.ts")).openSmtpTransport({ ...smtp, name });
  if (mailDirectory === null) return null;
  return async () => (await import("#lib/drivers/mail/file-transport.ts")).openFileTransport(mailDirectory, name);
}
