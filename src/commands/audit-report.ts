/** Formats the result of verifying the audit log, as a table for people or as JSON for programs. */
import type { ChainVerification } from "#lib/audit/verify.ts";
import { renderTable } from "../cli/table.ts";
import { formatCount } from "#lib/base/text.ts";

/** An output of unlimited width without colours. */
const PLAIN = { out: true, width: Infinity, paint: (_: string, text: string) => text };

/** The hashes with which the audit log was compared: only the seals in the database, or also exported hashes. */
type VerificationBaseline = "seals" | "exported";

export function renderVerificationJson(verifications: readonly ChainVerification[]): string {
  const chains = verifications.map((one) => ({ ...one, ok: isIntact(one) }));
  return `${JSON.stringify({ ok: verifications.every(isIntact), chains })}\n`;
}

export function renderVerificationText(
  verifications: readonly ChainVerification[],
  baseline: VerificationBaseline,
): string {
  if (verifications.length === 0) return "The audit log is empty\n";
  const { text: table } = renderTable(PLAIN, verifications, [
    ["CHAIN", ({ chain }) => chain],
    ["SEALED", ({ sealed }) => sealed, "number"],
    ["UNSEALED", ({ unsealed }) => unsealed, "number"],
    ["EXPORTED", ({ exported }) => exported || "-", "number"],
    ["RESULT", resultOf],
  ]);
  return [table, ...verifications.filter((one) => !isIntact(one)).map(renderProblems), notesOn(verifications, baseline)]
    .join("\n");
}

const isIntact = ({ problems }: ChainVerification): boolean => problems.length === 0;

function resultOf(one: ChainVerification): string {
  if (!isIntact(one)) return "DOES NOT MATCH";
  if (one.sealed === 0) return "nothing sealed yet";
  return one.exported > 0 ? "matches seals and exported heads" : "matches seals";
}

function renderProblems({ chain, problems, differs }: ChainVerification): string {
  const lines = differs ? [...problems, describeDifference(differs)] : problems;
  return `${chain}\n${lines.map((line) => `  ${line}.\n`).join("")}`;
}

function describeDifference({ after, through }: NonNullable<ChainVerification["differs"]>): string {
  const place = through - after === 1 ? `event ${through}` : `one of the events ${after + 1} to ${through}`;
  return after === 0
    ? `The first difference is in ${place}`
    : `Events up to ${after} match the export. The first difference is in ${place}`;
}

/** Returns notes that explain what the verification cannot detect. */
function notesOn(verifications: readonly ChainVerification[], baseline: VerificationBaseline): string {
  const unsealed = verifications.reduce((sum, one) => sum + one.unsealed, 0);
  const alone = verifications.filter(({ exported }) => exported === 0).length;
  const notes: string[] = [];
  if (unsealed > 0) {
    notes.push(
      `Not sealed yet: ${formatCount(unsealed, "event")}. For these, only the number was checked, not the content.`,
    );
  }
  if (baseline === "exported" && alone > 0) {
    notes.push(
      `${formatCount(alone, "chain")} without an exported head: compared only with the seals in this database.`,
    );
  }
  if (baseline === "exported" && verifications.some((one) => one.exported > 0 && one.exported < one.sealed)) {
    notes.push("Events after the number in column EXPORTED were compared only with the seals in this database.");
  }
  if (baseline === "seals") {
    notes.push(
      "The log was compared only with the seals and counts in this database, which the table owner can also change.",
      "To detect such changes, store the output of 'wheelwright audit heads' elsewhere and pass it to --against.",
    );
  }
  return notes.map((note) => `${note}\n`).join("");
}
