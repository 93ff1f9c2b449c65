/** Implements `wheelwright operations`, which lists, shows and watches operations. */
import type { OperationDetail, Wheelwright } from "#lib/client/client.ts";
import { defineCommand } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import {
  describeOperationProgress,
  formatFailureLines,
  isOperationDone,
  readSubjectNames,
  showHubOperations,
  showOperations,
  showSpokeOperations,
} from "./operation-views.ts";
import { printNote, showChange, showJson, showRecord } from "./output.ts";
import { PAGE_OPTIONS } from "./pagination.ts";
import type { RecordLine } from "./table.ts";
import { parseWaitTime, throwOperationFailures, WAIT_OPTIONS, waitForOperations } from "./wait-for-operations.ts";

export const operationsCommands = [
  defineCommand({
    name: "list",
    summary: "List operations, newest first: those of all hubs that you can see, of a hub, or of a spoke",
    options: {
      hub: { type: "string", help: "operations of this hub and its spokes" },
      spoke: { type: "string", help: "operations of this spoke" },
      state: {
        type: "string",
        value: "unfinished|queued|running|succeeded|failed|cancelled",
        help: "only operations in this state",
      },
      ...PAGE_OPTIONS,
    },
    examples: [
      "operations list --state failed",
      "operations list --hub north",
      "operations list --spoke north/ash --json=id,kind,state",
    ],
    async run(cli, { options: { hub, spoke, state, ...page } }) {
      if (spoke !== undefined && (hub !== undefined || state !== undefined)) {
        throw new UsageError("Use --spoke without --hub and --state");
      }
      if (spoke !== undefined) return await showSpokeOperations(cli, spoke, page);
      await (state === undefined && hub !== undefined
        ? showHubOperations(cli, hub, page)
        : showOperations(cli, { federationId: hub, state }, page));
    },
  }),
  defineCommand({
    name: "show",
    summary: "Show an operation, its steps, and the reason if it failed",
    words: ["OPERATION"],
    examples: ["operations show op_0123456789abcdefghjkmnpqrs"],
    run: async (cli, { words: [operationId] }) =>
      showRecord(cli, await cli.api.getOperation({ operationId }), formatOperationLines),
  }),
  defineCommand({
    name: "watch",
    summary: "Show the progress of operations until they finish",
    words: ["[OPERATION...]"],
    options: {
      hub: { type: "string", help: "watch all unfinished operations of this hub" },
      timeout: WAIT_OPTIONS.timeout,
    },
    examples: ["operations watch op_0123456789abcdefghjkmnpqrs --timeout 10m", "operations watch --hub north"],
    async run(cli, { words, options: { hub, ...options } }) {
      if ((words.length === 0) !== (hub !== undefined)) {
        throw new UsageError("wheelwright operations watch needs either OPERATION IDs or --hub HUB");
      }
      const waitTime = parseWaitTime(options), ids = hub === undefined ? words : await listUnfinished(cli.api, hub);
      const found = await Promise.all(ids.map((operationId) => cli.api.getOperation({ operationId })));
      const labels = await readLabels(cli.api, found);
      const started = found.map((operation, i) => ({ label: labels[i]!, operation }));
      const result = await waitForOperations(cli, started, waitTime),
        last = found.map((one, i) => result.operations[i] ?? one);
      if (cli.json) showJson(cli, words.length === 1 ? last[0]! : last);
      else if (last.length === 0) printNote(cli, "No unfinished operations");
      for (const [i, operation] of cli.json ? [] : last.entries()) {
        if (operation.state === "succeeded") showChange(cli, operation, `${operation.kind} of ${labels[i]} is done`);
      }
      throwOperationFailures(started, result);
    },
  }),
];

/** Returns the IDs of unfinished operations on the hub and its spokes. */
async function listUnfinished(api: Wheelwright, federationId: string): Promise<string[]> {
  const [hub, spokes] = await Promise.all([
    api.getFederation({ federationId }),
    api.listFederationSpokes({ federationId }),
  ]);
  return [hub, ...spokes].flatMap(({ operation }) => operation && !isOperationDone(operation) ? [operation.id] : []);
}

/** Returns a label for each operation: the name of its spoke or hub, or an ID if the name cannot be read. */
async function readLabels(api: Wheelwright, operations: readonly OperationDetail[]): Promise<string[]> {
  const names = await readSubjectNames(api, operations);
  return operations.map(({ spokeId, federationId, id }) => names.get(spokeId ?? federationId ?? "") ?? spokeId ?? id);
}

function formatOperationLines(operation: OperationDetail): readonly RecordLine[] {
  const { id, kind, state, attempt, steps, notes, error } = operation;
  return [
    ["operation", id],
    ["kind", kind],
    ["state", state, "state"],
    ["progress", state === "failed" ? null : describeOperationProgress(operation)],
    ["attempt", attempt > 1 ? attempt : null],
    ["created", operation.createdAt, "time"],
    ["finished", operation.finishedAt, "time"],
    ["spoke", operation.spokeId],
    ["hub", operation.federationId],
    ...formatFailureLines(operation),
    ...steps.map(({ label, startedAt, finishedAt }, i) =>
      [`step ${i + 1}`, `${finishedAt ? "done" : startedAt ? "running" : "pending"}: ${label}`] as const
    ),
    ...notes.map((note) => ["note", note] as const),
    ...(error?.log.slice(-10) ?? []).map((line) => ["log", line] as const),
  ];
}
