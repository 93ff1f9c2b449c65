/** Operations in words: where one is, and what became of it. */
import type { Operation, OperationDetail } from "#lib/client/client.ts";
import { pageOf, take } from "./lists.ts";
import type { Cli } from "./noun.ts";
import { showList } from "./output.ts";
import type { Column, Line } from "./table.ts";
import { lasting } from "./times.ts";

type Progress = Operation | OperationDetail;

/** Those of one spoke. */
export const OPERATION_COLUMNS: readonly Column<Progress>[] = [
  ["KIND", (one) => one.kind],
  ["STATE", (one) => one.state, "state"],
  ["PROGRESS", operationProgress],
  ["ID", (one) => one.id, "id"],
  ["CREATED", (one) => one.createdAt, "time"],
  ["FINISHED", (one) => one.finishedAt, "time"],
];

/** Those of a hub and its spokes, each with the slug of the spoke that it is of. */
export async function showHubOperations(
  cli: Cli,
  federationId: string,
  flags: { readonly limit?: string; readonly all?: boolean },
): Promise<void> {
  const operations = await take(cli.api.listFederationOperations({ federationId, limit: pageOf(flags) }), flags);
  const named = !cli.json && !cli.quiet;
  const spokes = named ? await cli.api.listFederationSpokes({ federationId, includeRemoved: true }) : [];
  const slugs = new Map(spokes.map(({ id, slug }) => [id, slug]));
  const spokeOf = ({ spokeId }: Progress) => spokeId && (slugs.get(spokeId) ?? spokeId);
  showList(cli, operations, [["SPOKE", spokeOf], ...OPERATION_COLUMNS]);
}

export function isDone({ state }: Progress): boolean {
  return ["succeeded", "failed", "cancelled"].includes(state);
}

/** Where it is: `4/10 Creating the database`, `queued, 3rd in line`. */
export function operationProgress(one: Progress): string {
  const { state, step, of, label, error, position, waitingFor, nextTryAt, etaSeconds } = one;
  if (state === "failed") return error?.message ?? "failed";
  if (state === "succeeded") return `done in ${tookOf(one)}`;
  if (state === "cancelled") return "cancelled";
  const eta = etaSeconds === null ? "" : `, about ${lasting(etaSeconds * 1000)}`;
  if (state === "running") return `${step}/${of} ${label}${eta}`;
  if (nextTryAt) return `tried again at ${nextTryAt.slice(11, 19)} UTC${error ? `: ${error.message}` : ""}`;
  const ahead = waitingFor ? `, behind ${waitingFor.kind}` : "";
  return `queued${position === null ? "" : `, number ${position}`}${ahead}${eta}`;
}

function tookOf({ startedAt, createdAt, finishedAt }: Progress): string {
  return lasting(Date.parse(finishedAt ?? createdAt) - Date.parse(startedAt ?? createdAt));
}

/** What watches them, as it is typed. Many of one hub are not named one by one. */
export function watchCommand(operations: readonly Pick<Progress, "id" | "federationId">[]): string {
  const [hub, ...others] = new Set(operations.map(({ federationId }) => federationId));
  const which = operations.length > 3 && hub && others.length === 0
    ? `--hub ${hub}`
    : operations.map(({ id }) => id).join(" ");
  return `wheelwright operations watch ${which}`;
}

/** Why it failed, and whose turn it is. */
export function failureLines({ error }: Progress): readonly Line[] {
  return [
    ["failed at", error?.step],
    ["because", error?.message],
    ["whose turn", error?.fault],
    ["what to do", error?.hint],
  ];
}
