/** Who runs a hub or a spoke, in words. */
import type { Member, SpokeJoining } from "#lib/client/client.ts";
import type { Column } from "./table.ts";

export const MEMBER_COLUMNS: readonly Column<Member>[] = [
  ["E-MAIL", (member) => member.email],
  ["NAME", (member) => member.displayName],
  ["STATE", (member) => member.pending ? "invited" : "active", "state"],
  ["SINCE", (member) => member.createdAt, "time"],
  ["ID", (member) => member.userId],
];

export const JOINING_WORDS: Readonly<Record<SpokeJoining["status"], string>> = {
  added: "runs",
  invited: "is invited to run",
  unchanged: "is asked or there already for",
};
