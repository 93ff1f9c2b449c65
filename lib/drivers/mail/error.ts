/** Why a mail could not be sent. Only words that were cleared of the password and of the link go on from here. */
import { DriverError } from "#lib/base/errors.ts";

export class MailError extends DriverError {
  override readonly name = "MailError";
}
