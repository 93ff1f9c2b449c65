/** Implements `wheelwright restore-requests`, which manages requests to restore a spoke from a backup. */
import type { RestoreRequest, Wheelwright } from "#lib/client/client.ts";
import { ALL_FLAG, computePageSize, LIMIT_FLAG, readListItems } from "./pagination.ts";
import { type CommandGroup, defineVerb } from "./verb-declaration.ts";
import { showChange, showList } from "./output.ts";
import { resolveSpokeId } from "./find-spoke.ts";

const REQUEST = "rsr_0123456789abcdefghjkmnpqrs";

export const restoreRequestsCommands: CommandGroup = {
  name: "restore-requests",
  summary: "Requests to restore a spoke from a backup",
  verbs: [
    defineVerb({
      name: "list",
      summary: "List the restore requests for a spoke, newest first (for all spokes if an operator omits SPOKE)",
      words: ["[SPOKE]"],
      flags: {
        state: { type: "string", value: "open|done|declined", help: "only requests in this state" },
        limit: LIMIT_FLAG,
        all: ALL_FLAG,
      },
      more: "For operators, the list includes the restore command, which must be run on the server's machine.",
      examples: ["restore-requests list north/ash", "restore-requests list --state open"],
      async run(cli, { words: [name], flags }) {
        const state = flags.state as RestoreRequest["state"] | undefined;
        showList(
          cli,
          await readListItems(requestsOf(cli.api, await idOf(cli.api, name), state, computePageSize(flags)), flags),
          [
            ["ID", (one) => one.id, "id"],
            ["STATE", (one) => one.state, "state"],
            ["SPOKE", (one) => one.spokeId, "id"],
            ["BACKUP", (one) => one.backupId, "id"],
            ["REQUESTED BY", (one) => one.requestedBy.email],
            ["CREATED", (one) => one.createdAt, "time"],
            ["REASON", (one) => one.reason],
            ["DECIDED", (one) => one.decidedAt, "time"],
            ["DECLINED BECAUSE", (one) => one.declineReason],
            ["COMMAND", (one) => one.command],
          ],
        );
      },
    }),
    defineVerb({
      name: "create",
      summary: "Request that an operator restore a spoke from a backup",
      words: ["SPOKE", "BACKUP", "REASON"],
      more: "`wheelwright spokes backups SPOKE` lists the backups. For a removed spoke, use its ID.",
      examples: ["restore-requests create north/ash bak_0123456789abcdefghjkmnpqrs 'A course was deleted'"],
      async run(cli, { words: [name, backupId, reason] }) {
        const spokeId = await resolveSpokeId(cli.api, name!);
        const request = await cli.api.createSpokeRestoreRequest({ spokeId }, { backupId: backupId!, reason: reason! });
        showChange(
          cli,
          request,
          `Request ${request.id} was created. An operator will restore the spoke or decline the request`,
        );
      },
    }),
    defineVerb({
      name: "done",
      summary: "Mark a restore request as done (operators only). Restoring the backup does this automatically",
      words: ["REQUEST"],
      examples: [`restore-requests done ${REQUEST}`],
      async run(cli, { words: [restoreRequestId] }) {
        const request = await cli.api.decideRestoreRequest({ restoreRequestId: restoreRequestId! }, { state: "done" });
        showChange(cli, request, `Request ${request.id} was marked as done`);
      },
    }),
    defineVerb({
      name: "decline",
      summary: "Decline a restore request, with a reason for the requester (operators only)",
      words: ["REQUEST", "REASON"],
      examples: [`restore-requests decline ${REQUEST} 'The backup is older than the deleted course'`],
      async run(cli, { words: [restoreRequestId, declineReason] }) {
        const decision = { state: "declined", declineReason: declineReason! } as const;
        const request = await cli.api.decideRestoreRequest({ restoreRequestId: restoreRequestId! }, decision);
        showChange(cli, request, `Request ${request.id} was declined`);
      },
    }),
  ],
};

async function idOf(api: Wheelwright, name: string | undefined): Promise<string | null> {
  return name === undefined ? null : await resolveSpokeId(api, name);
}

/** Lists restore requests. For a single spoke, filters by state here, because that API endpoint has no such filter. */
async function* requestsOf(
  api: Wheelwright,
  spokeId: string | null,
  state: RestoreRequest["state"] | undefined,
  limit: number,
): AsyncGenerator<RestoreRequest> {
  if (spokeId === null) return yield* api.listRestoreRequests({ state, limit });
  for await (const request of api.listSpokeRestoreRequests({ spokeId, limit })) {
    if (state === undefined || request.state === state) yield request;
  }
}
