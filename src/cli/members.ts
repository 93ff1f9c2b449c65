/** Shows and finds the members of a hub or spoke. */
import { canonicalizeSearchTerm } from "#lib/base/email.ts";
import type { Member, SpokeJoining } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { EXIT_NOT_FOUND } from "./exit-status.ts";
import type { TableColumn } from "./table.ts";

export const MEMBER_COLUMNS: readonly TableColumn<Member>[] = [
  ["E-MAIL", (member) => member.email],
  ["NAME", (member) => member.displayName],
  ["STATE", (member) => member.pending ? "invited" : "active", "state"],
  ["SINCE", (member) => member.createdAt, "time"],
  ["ID", (member) => member.userId, "id"],
];

export const MEMBERSHIP_LABELS: Readonly<Record<SpokeJoining["status"], string>> = {
  added: "is now an admin of",
  invited: "was invited as an admin of",
  unchanged: "is already an admin or invited admin of",
};

/** Returns the user ID of a member, given an ID or an email address. Throws a CommandError for an unknown address. */
export async function requireMemberId(name: string, members: () => PromiseLike<readonly Member[]>): Promise<string> {
  if (!name.includes("@")) return name;
  const found = (await members()).find(({ email }) => email.toLowerCase() === canonicalizeSearchTerm(name));
  if (found) return found.userId;
  throw new CommandError(EXIT_NOT_FOUND, `${name} is not a member`);
}
