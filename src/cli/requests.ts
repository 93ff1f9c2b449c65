/** `wheelwright requests`: creates, approves, rejects and withdraws hub requests. */
import type { FederationRequest } from "#lib/client/client.ts";
import { ALL_FLAG, LIMIT_FLAG, pageSizeOf, readItems } from "./pagination.ts";
import { type CliNoun, verb } from "./verb-declaration.ts";
import { showChange, showList, showRecord } from "./output.ts";

const REQUEST_FLAGS = {
  name: { type: "string", help: "what people call it" },
  region: { type: "string", help: "where it runs" },
  mode: { type: "string", help: "how it is open to others" },
  tier: { type: "string", help: "what is bought" },
} as const;
const REQUEST = "requests show frq_0123456789abcdefghjkmnpqrs";

export const requestsNoun: CliNoun = {
  name: "requests",
  summary: "Requests for hubs: yours, and for operators all",
  verbs: [
    verb({
      name: "list",
      summary: "List requests, newest first",
      flags: {
        state: { type: "string", value: "pending|approved|rejected|withdrawn", help: "only those in this state" },
        limit: LIMIT_FLAG,
        all: ALL_FLAG,
      },
      examples: ["requests list --state pending"],
      async run(cli, { flags }) {
        const state = flags.state as FederationRequest["state"] | undefined;
        showList(cli, await readItems(cli.api.listFederationRequests({ state, limit: pageSizeOf(flags) }), flags), [
          ["ID", (one) => one.id, "id"],
          ["HUB", (one) => one.slug],
          ["STATE", (one) => one.state, "state"],
          ["ASKED BY", (one) => one.requestedBy.email],
          ["CREATED", (one) => one.createdAt, "time"],
          ["NAME", (one) => one.name],
        ]);
      },
    }),
    verb({
      name: "show",
      summary: "Show a request, and what became of it",
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
          ["asked by", request.requestedBy.email],
          ["created", request.createdAt, "time"],
          ["decided by", request.decidedBy?.email],
          ["decided", request.decidedAt, "time"],
          ["rejected because", request.rejectReason],
        ]);
      },
    }),
    verb({
      name: "create",
      summary: "Ask for a hub",
      words: ["SLUG"],
      flags: { ...REQUEST_FLAGS, reason: { type: "string", help: "what it is for, to whoever decides" } },
      examples: ["requests create south --name 'Southern schools' --reason 'Twelve schools from autumn on'"],
      async run(cli, { words: [slug], flags }) {
        const request = await cli.api.createFederationRequest({ slug: slug!, ...flags });
        showChange(cli, request, `Hub ${request.slug} is asked for: request ${request.id}`);
      },
    }),
    verb({
      name: "approve",
      summary: "Make the hub that was asked for, and its asker the admin (operators)",
      words: ["REQUEST"],
      flags: { slug: { type: "string", help: "another slug than the one asked for" }, ...REQUEST_FLAGS },
      examples: ["requests approve frq_0123456789abcdefghjkmnpqrs"],
      async run(cli, { words: [requestId], flags }) {
        const request = await cli.api.approveFederationRequest({ requestId: requestId! }, flags);
        showChange(cli, request, `Hub ${request.slug} is being made for ${request.requestedBy.email}`);
      },
    }),
    verb({
      name: "reject",
      summary: "Reject a request, with the reason that its asker reads (operators)",
      words: ["REQUEST", "REASON"],
      examples: ["requests reject frq_0123456789abcdefghjkmnpqrs 'There is a hub north already'"],
      async run(cli, { words: [requestId, reason] }) {
        const request = await cli.api.rejectFederationRequest({ requestId: requestId! }, { reason: reason! });
        showChange(cli, request, `The request for ${request.slug} is rejected`);
      },
    }),
    verb({
      name: "withdraw",
      summary: "Withdraw a request that nobody has decided yet",
      words: ["REQUEST"],
      examples: ["requests withdraw frq_0123456789abcdefghjkmnpqrs"],
      async run(cli, { words: [requestId] }) {
        const request = await cli.api.deleteFederationRequest({ requestId: requestId! });
        showChange(cli, request, `The request for ${request.slug} is withdrawn`);
      },
    }),
  ],
};
