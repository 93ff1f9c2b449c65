/** Formats the progress and results of operations as text. */
import type { Operation, OperationDetail, Wheelwright } from "#lib/client/client.ts";
import type { CliContext } from "./command.ts";
import { formatSpokeName, readHubSlugs, resolveSpokeId } from "./find-spoke.ts";
import { type PageOptions, readListItems, showPages } from "./pagination.ts";
import { showList } from "./output.ts";
import type { RecordLine, TableColumn } from "./table.ts";
import { formatClockDuration } from "./times.ts";

type Progress = Operation | OperationDetail;

const OPERATION_COLUMNS: readonly TableColumn<Progress>[] = [
  ["KIND", (one) => one.kind],
  ["STATE", (one) => one.state, "state"],
  ["PROGRESS", describeOperationProgress],
  ["ID", (one) => one.id, "id"],
  ["CREATED", (one) => one.createdAt, "time"],
  ["FINISHED", (one) => one.finishedAt, "time"],
];

/** Lists the operations on a hub and its spokes, each with the spoke's slug. */
export async function showHubOperations(cli: CliContext, federationId: string, options: PageOptions): Promise<void> {
  const named = !cli.json && !cli.quiet;
  const operations = await readListItems(options, (limit) => cli.api.listFederationOperations({ federationId, limit }));
  const spokes = named ? await cli.api.listFederationSpokes({ federationId, includeRemoved: true }) : [];
  const slugs = new Map(spokes.map(({ id, slug }) => [id, slug]));
  const spokeOf = ({ spokeId }: Progress) => spokeId && (slugs.get(spokeId) ?? spokeId);
  showList(cli, operations, [["SPOKE", spokeOf], ...OPERATION_COLUMNS]);
}

type OperationQuery = Parameters<Wheelwright["listOperations"]>[0];

/** Lists the operations on all hubs and spokes that the user can see, each with the name of its hub or spoke. */
export async function showOperations(cli: CliContext, query: OperationQuery, options: PageOptions): Promise<void> {
  const operations = await readListItems(options, (limit) => cli.api.listOperations({ ...query, limit }));
  const names = cli.json || cli.quiet ? new Map<string, string>() : await readSubjectNames(cli.api, operations);
  const subjectOf = ({ spokeId, federationId }: Progress) => {
    const id = spokeId ?? federationId;
    return id && (names.get(id) ?? id);
  };
  showList(cli, operations, [["SUBJECT", subjectOf], ...OPERATION_COLUMNS]);
}

/** Returns the names of the operations' hubs and spokes by ID. Removed spokes have no name. */
export async function readSubjectNames(
  api: Wheelwright,
  operations: readonly Progress[],
): Promise<ReadonlyMap<string, string>> {
  const hubs = await readHubSlugs(api), ids = new Set(operations.flatMap(({ spokeId }) => spokeId ?? []));
  const spokes = await Promise.all([...ids].map((spokeId) => api.getSpoke({ spokeId }).catch(() => null)));
  return new Map([
    ...hubs,
    ...spokes.flatMap((spoke) => spoke ? [[spoke.id, formatSpokeName(spoke, hubs)] as const] : []),
  ]);
}

/** Lists the operations on the spoke with this name. */
export async function showSpokeOperations(cli: CliContext, name: string, options: PageOptions): Promise<void> {
  const spokeId = await resolveSpokeId(cli.api, name);
  await showPages(cli, options, (limit) => cli.api.listSpokeOperations({ spokeId, limit }), OPERATION_COLUMNS);
}

export function isOperationDone({ state }: Progress): boolean {
  return ["succeeded", "failed", "cancelled"].includes(state);
}

/** Describes an operation's progress, for example `4/10 Creating the database`, `queued, number 3`, `done in 42 s`. */
export function describeOperationProgress(one: Progress): string {
  const { state, step, of, label, error, position, waitingFor, nextAttemptAt, etaSeconds } = one;
  if (state === "failed") return error?.message ?? "failed";
  if (state === "succeeded") return `done in ${durationOf(one)}`;
  if (state === "cancelled") return "cancelled";
  const eta = etaSeconds === null ? "" : `, about ${formatClockDuration(etaSeconds * 1000)}`;
  if (state === "running") return `${step}/${of} ${label}${eta}`;
  if (nextAttemptAt) return `retries at ${nextAttemptAt.slice(11, 19)} UTC${error ? `: ${error.message}` : ""}`;
  const ahead = waitingFor ? `, behind ${waitingFor.kind}` : "";
  return `queued${position === null ? "" : `, number ${position}`}${ahead}${eta}`;
}

function durationOf({ startedAt, createdAt, finishedAt }: Progress): string {
  return formatClockDuration(Date.parse(finishedAt ?? createdAt) - Date.parse(startedAt ?? createdAt));
}

/** Returns the command for watching these operations. Uses `--hub` for more than three operations in one hub. */
export function formatWatchCommand(operations: readonly Pick<Progress, "id" | "federationId">[]): string {
  const [hub, ...others] = new Set(operations.map(({ federationId }) => federationId));
  const which = operations.length > 3 && hub && others.length === 0
    ? `--hub ${hub}`
    : operations.map(({ id }) => id).join(" ");
  return `wheelwright operations watch ${which}`;
}

/** Returns the failure report as lines: the failed step, the reason, who can fix it, and a hint. */
export function formatFailureLines({ error }: Progress): readonly RecordLine[] {
  return [
    ["failed step", error?.step],
    ["reason", error?.message],
    ["responsible", error?.fault],
    ["next step", error?.hint],
  ];
}
