/** Shows and finds the members of a hub or spoke. */
import { canonicalizeSearchTerm } from "#lib/base/email.ts";
import type { Member, SpokeJoining } from "#lib/client/client.ts";
import type { TableColumn } from "./table.ts";
import { CommandError, EXIT } from "./exit-status.ts";

export const MEMBER_COLUMNS: readonly TableColumn<Member>[] = [
  ["E-MAIL", (member) => member.email],
  ["NAME", (member) => member.displayName],
  ["STATE", (member) => member.pending ? "invited" : "active", "state"],
  ["SINCE", (member) => member.createdAt, "time"],
  ["ID", (member) => member.userId, "id"],
];

export const NEW_MEMBER_OPTIONS = { name: { type: "string", help: "name of a new user" } } as const;

const MEMBERSHIP_LABELS: Readonly<Record<SpokeJoining["status"], string>> = {
  added: "is now an admin of",
  invited: "was invited as an admin of",
  unchanged: "is already an admin or invited admin of",
};

/** Returns a sentence about a user who was added to a hub or spoke. */
export function describeJoining({ email, status }: Pick<SpokeJoining, "email" | "status">, place: string): string {
  return `${email} ${MEMBERSHIP_LABELS[status]} ${place}`;
}

/** Returns the user ID of a member, given an ID or an email address. Throws a CommandError for an unknown address. */
export async function requireMemberId(name: string, members: () => PromiseLike<readonly Member[]>): Promise<string> {
  if (!name.includes("@")) return name;
  const found = (await members()).find(({ email }) => email.toLowerCase() === canonicalizeSearchTerm(name));
  if (found) return found.userId;
  throw new CommandError(EXIT.notFound, `${name} is not a member`);
}
