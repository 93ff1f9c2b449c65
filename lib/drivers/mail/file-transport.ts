/**
 * Writes emails to `.eml` files for `wheelwright dev`. An extra header contains the link, because the encoded body
 * splits the link over several lines. Only the owner may read the files, because the links give access to user
 * accounts.
 */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { getErrorMessage as wordsOf } from "#lib/base/errors.ts";
import { composeMail, type Mail, MailError, type MailTransport } from "#lib/drivers/mail/transport.ts";

export function openFileTransport(directory: string, host: string): MailTransport {
  const from = `Wheelwright <wheelwright@${host}>`;
  return {
    async send(mail, signal) {
      signal.throwIfAborted();
      try {
        const file = join(directory, buildMailFileName(mail, new Date()));
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeFile(`${file}.part`, await encode(mail, from), { mode: 0o600 });
        await rename(`${file}.part`, file);
        return { answer: null, file };
      } catch (error) {
        const hint = "Make DATA_DIR writable.";
        throw new MailError("mail_file", `The email could not be written to a file: ${wordsOf(error)}`, {
          transient: true,
          hint,
        });
      }
    },
    close() {},
  };
}

async function encode(mail: Mail, from: string): Promise<Uint8Array> {
  const message = composeMail(mail, from);
  const headers = { ...message.headers, ...(mail.link !== null && { "X-Wheelwright-Link": mail.link }) };
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  const { message: bytes } = await transport.sendMail({ ...message, headers });
  return bytes as Uint8Array;
}

const MAX_ADDRESS_LENGTH = 80;

/**
 * Returns a name such as `2026-11-21T15-04-05-678Z-invitation-ada@example.org-x9n3m8.eml`. The last part is from the
 * email's ID, because several emails can be written in the same millisecond.
 */
export function buildMailFileName({ id, template, to }: Pick<Mail, "id" | "template" | "to">, at: Date): string {
  const time = at.toISOString().replace(/[:.]/g, "-");
  const address = to.email.replace(/[^a-z0-9@.+_-]/gi, "_").replace(/\.{2,}/g, "_").slice(0, MAX_ADDRESS_LENGTH);
  return `${time}-${template}-${address}-${id.split("@")[0]!.slice(-6).replace(/[^a-z0-9]/gi, "_")}.eml`;
}
