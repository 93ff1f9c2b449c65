/** Implements `wheelwright requests`, for requests for new hubs, and `wheelwright restore-requests`. */
import type { RestoreRequest, Wheelwright } from "#lib/client/client.ts";
import { defineCommand } from "./command.ts";
import { resolveSpokeId } from "./find-spoke.ts";
import { HUB_OPTIONS } from "./hubs.ts";
import { showChange, showRecord } from "./output.ts";
import { PAGE_OPTIONS, showPages } from "./pagination.ts";

const REQUEST_ID = "frq_0123456789abcdefghjkmnpqrs", RESTORE_ID = "rsr_0123456789abcdefghjkmnpqrs";

export const requestsCommands = [
  defineCommand({
    name: "list",
    summary: "List requests for new hubs, newest first: your own requests, or all requests for operators",
    options: {
      state: { type: "string", value: "pending|approved|rejected|withdrawn", help: "only requests in this state" },
      ...PAGE_OPTIONS,
    },
    examples: ["requests list --state pending"],
    run: (cli, { options }) =>
      showPages(cli, options, (limit) => cli.api.listFederationRequests({ state: options.state, limit }), [
        ["ID", (one) => one.id, "id"],
        ["HUB", (one) => one.slug],
        ["STATE", (one) => one.state, "state"],
        ["REQUESTED BY", (one) => one.requestedBy.email],
        ["CREATED", (one) => one.createdAt, "time"],
        ["NAME", (one) => one.name],
      ]),
  }),
  defineCommand({
    name: "show",
    summary: "Show a request for a new hub, and who decided on it",
    words: ["REQUEST"],
    examples: [`requests show ${REQUEST_ID}`],
    run: async (cli, { words: [requestId] }) =>
      showRecord(cli, await cli.api.getFederationRequest({ requestId }), (request) => [
        ["request", request.id],
        ["hub", request.slug],
        ["name", request.name],
        ["state", request.state, "state"],
        ["reason", request.reason],
        ["requested by", request.requestedBy.email],
        ["created", request.createdAt, "time"],
        ["decided by", request.decidedBy?.email],
        ["decided", request.decidedAt, "time"],
        ["reject reason", request.rejectReason],
      ]),
  }),
  defineCommand({
    name: "create",
    summary: "Request a hub",
    words: ["SLUG"],
    options: { ...HUB_OPTIONS, reason: { type: "string", help: "reason for the request, for the operators" } },
    examples: ["requests create south --name 'Southern schools' --reason 'Twelve schools, starting this autumn'"],
    async run(cli, { words: [slug], options }) {
      const request = await cli.api.createFederationRequest({ slug, ...options });
      showChange(cli, request, `Requested hub ${request.slug} (${request.id})`);
    },
  }),
  defineCommand({
    name: "approve",
    summary: "Approve a hub request: create the hub with the requester as its admin (operators only)",
    words: ["REQUEST"],
    options: { slug: { type: "string", help: "slug for the hub, instead of the requested slug" }, ...HUB_OPTIONS },
    examples: [`requests approve ${REQUEST_ID}`],
    async run(cli, { words: [requestId], options }) {
      const request = await cli.api.approveFederationRequest({ requestId }, options);
      showChange(cli, request, `Creating hub ${request.slug} for ${request.requestedBy.email}`);
    },
  }),
  defineCommand({
    name: "reject",
    summary: "Reject a request for a new hub, with a reason for the requester (operators only)",
    words: ["REQUEST", "REASON"],
    examples: [`requests reject ${REQUEST_ID} 'The hub north already exists'`],
    async run(cli, { words: [requestId, reason] }) {
      const request = await cli.api.rejectFederationRequest({ requestId }, { reason });
      showChange(cli, request, `The request for hub ${request.slug} was rejected`);
    },
  }),
  defineCommand({
    name: "withdraw",
    summary: "Withdraw a pending request for a new hub",
    words: ["REQUEST"],
    examples: [`requests withdraw ${REQUEST_ID}`],
    async run(cli, { words: [requestId] }) {
      const request = await cli.api.deleteFederationRequest({ requestId });
      showChange(cli, request, `The request for hub ${request.slug} was withdrawn`);
    },
  }),
];

export const restoreRequestsCommands = [
  defineCommand({
    name: "list",
    summary: "List the restore requests for a spoke, newest first (for all spokes if an operator omits SPOKE)",
    words: ["[SPOKE]"],
    options: {
      state: { type: "string", value: "open|done|declined", help: "only requests in this state" },
      ...PAGE_OPTIONS,
    },
    more: "For operators, the list includes the restore command, which must be run on the server's machine.",
    examples: ["restore-requests list north/ash", "restore-requests list --state open"],
    async run(cli, { words: [name], options }) {
      const spokeId = name === undefined ? null : await resolveSpokeId(cli.api, name);
      await showPages(cli, options, (limit) => listRestoreRequests(cli.api, spokeId, options.state, limit), [
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
      ]);
    },
  }),
  defineCommand({
    name: "create",
    summary: "Request that an operator restore a spoke from a backup",
    words: ["SPOKE", "BACKUP", "REASON"],
    more: "`wheelwright spokes backups SPOKE` lists the backups. For a removed spoke, use its ID.",
    examples: ["restore-requests create north/ash bak_0123456789abcdefghjkmnpqrs 'A course was deleted'"],
    async run(cli, { words: [name, backupId, reason] }) {
      const spokeId = await resolveSpokeId(cli.api, name);
      const request = await cli.api.createSpokeRestoreRequest({ spokeId }, { backupId, reason });
      const next = "An operator will restore the spoke or decline the request";
      showChange(cli, request, `Request ${request.id} was created. ${next}`);
    },
  }),
  defineCommand({
    name: "done",
    summary: "Mark a restore request as done (operators only). Restoring the backup does this automatically",
    words: ["REQUEST"],
    examples: [`restore-requests done ${RESTORE_ID}`],
    async run(cli, { words: [restoreRequestId] }) {
      const request = await cli.api.decideRestoreRequest({ restoreRequestId }, { state: "done" });
      showChange(cli, request, `Request ${request.id} was marked as done`);
    },
  }),
  defineCommand({
    name: "decline",
    summary: "Decline a restore request, with a reason for the requester (operators only)",
    words: ["REQUEST", "REASON"],
    examples: [`restore-requests decline ${RESTORE_ID} 'The backup is older than the deleted course'`],
    async run(cli, { words: [restoreRequestId, declineReason] }) {
      const request = await cli.api.decideRestoreRequest({ restoreRequestId }, { state: "declined", declineReason });
      showChange(cli, request, `Request ${request.id} was declined`);
    },
  }),
];

/** Lists restore requests. For a single spoke, filters by state here, because that API endpoint has no such filter. */
async function* listRestoreRequests(
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
