/** Implements `wheelwright requests`, which creates, approves, rejects and withdraws requests for new hubs. */
import type { FederationRequest } from "#lib/client/client.ts";
import { ALL_FLAG, computePageSize, LIMIT_FLAG, readListItems } from "./pagination.ts";
import { type CommandGroup, defineVerb } from "./verb-declaration.ts";
import { showChange, showList, showRecord } from "./output.ts";

const REQUEST_FLAGS = {
  name: { type: "string", help: "display name" },
  region: { type: "string", help: "region of the hub; see 'wheelwright catalog'" },
  mode: { type: "string", help: "mode of the hub; see 'wheelwright catalog'" },
  tier: { type: "string", help: "tier of the hub; see 'wheelwright catalog'" },
} as const;
const REQUEST = "requests show frq_0123456789abcdefghjkmnpqrs";

export const requestsCommands: CommandGroup = {
  name: "requests",
  summary: "Requests for new hubs: your own requests, or all requests for operators",
  verbs: [
    defineVerb({
      name: "list",
      summary: "List requests for new hubs, newest first",
      flags: {
        state: { type: "string", value: "pending|approved|rejected|withdrawn", help: "only requests in this state" },
        limit: LIMIT_FLAG,
        all: ALL_FLAG,
      },
      examples: ["requests list --state pending"],
      async run(cli, { flags }) {
        const state = flags.state as FederationRequest["state"] | undefined;
        showList(
          cli,
          await readListItems(cli.api.listFederationRequests({ state, limit: computePageSize(flags) }), flags),
          [
            ["ID", (one) => one.id, "id"],
            ["HUB", (one) => one.slug],
            ["STATE", (one) => one.state, "state"],
            ["REQUESTED BY", (one) => one.requestedBy.email],
            ["CREATED", (one) => one.createdAt, "time"],
            ["NAME", (one) => one.name],
          ],
        );
      },
    }),
    defineVerb({
      name: "show",
      summary: "Show a request for a new hub, and who decided on it",
      words: ["REQUEST"],
      examples: [REQUEST],
      async run(cli, { words: [requestId] }) {
        const request = await cli.api.getFederationRequest({ requestId: requestId! });
        showRecord(cli, request, [
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
        ]);
      },
    }),
    defineVerb({
      name: "create",
      summary: "Request a hub",
      words: ["SLUG"],
      flags: { ...REQUEST_FLAGS, reason: { type: "string", help: "reason for the request, for the operators" } },
      examples: ["requests create south --name 'Southern schools' --reason 'Twelve schools, starting this autumn'"],
      async run(cli, { words: [slug], flags }) {
        const request = await cli.api.createFederationRequest({ slug: slug!, ...flags });
        showChange(cli, request, `Requested hub ${request.slug} (${request.id})`);
      },
    }),
    defineVerb({
      name: "approve",
      summary: "Approve a hub request: create the hub with the requester as its admin (operators only)",
      words: ["REQUEST"],
      flags: { slug: { type: "string", help: "slug for the hub, instead of the requested slug" }, ...REQUEST_FLAGS },
      examples: ["requests approve frq_0123456789abcdefghjkmnpqrs"],
      async run(cli, { words: [requestId], flags }) {
        const request = await cli.api.approveFederationRequest({ requestId: requestId! }, flags);
        showChange(cli, request, `Creating hub ${request.slug} for ${request.requestedBy.email}`);
      },
    }),
    defineVerb({
      name: "reject",
      summary: "Reject a request for a new hub, with a reason for the requester (operators only)",
      words: ["REQUEST", "REASON"],
      examples: ["requests reject frq_0123456789abcdefghjkmnpqrs 'The hub north already exists'"],
      async run(cli, { words: [requestId, reason] }) {
        const request = await cli.api.rejectFederationRequest({ requestId: requestId! }, { reason: reason! });
        showChange(cli, request, `The request for hub ${request.slug} was rejected`);
      },
    }),
    defineVerb({
      name: "withdraw",
      summary: "Withdraw a pending request for a new hub",
      words: ["REQUEST"],
      examples: ["requests withdraw frq_0123456789abcdefghjkmnpqrs"],
      async run(cli, { words: [requestId] }) {
        const request = await cli.api.deleteFederationRequest({ requestId: requestId! });
        showChange(cli, request, `The request for hub ${request.slug} was withdrawn`);
      },
    }),
  ],
};
