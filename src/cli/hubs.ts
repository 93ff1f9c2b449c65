/** `wheelwright hubs`: manages hubs, their members and their billing. */
import type { Federation } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { confirmByTyping } from "./confirm.ts";
import { billingVerbs } from "./hub-billing-verbs.ts";
import { ALL_FLAG, LIMIT_FLAG } from "./pagination.ts";
import { MEMBER_COLUMNS, MEMBERSHIP_WORDS, requireMemberId } from "./members.ts";
import { type CliContext, type CliNoun, verb } from "./verb-declaration.ts";
import { showHubOperations } from "./operation-views.ts";
import { showChange, showList, showRecord } from "./output.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import type { RecordLine } from "./table.ts";
import { WAIT_FLAGS, waitAndShow, waitTimeOf } from "./wait-for-operations.ts";

const HUB_FLAGS = {
  name: { type: "string", help: "what people call it" },
  region: { type: "string", help: "where it runs; wheelwright catalog lists the choices" },
  mode: { type: "string", help: "how it is open to others" },
  tier: { type: "string", help: "what was bought" },
} as const;

export const hubsNoun: CliNoun = {
  name: "hubs",
  summary: "Hubs: groups of spokes, and who runs them",
  verbs: [
    verb({
      name: "list",
      summary: "List the hubs that you see",
      flags: {
        state: {
          type: "string",
          value: "provisioning|active|failed|removing|removed",
          help: "only those in this state",
        },
        q: { type: "string", value: "TEXT", help: "only those whose name or slug has this in it" },
        "include-removed": { type: "boolean", help: "removed ones, too (operators)" },
      },
      examples: ["hubs list", "hubs list --json=slug,state"],
      async run(cli, { flags: { state, q, "include-removed": includeRemoved } }) {
        const hubs = await cli.api.listFederations({ state: state as Federation["state"], q, includeRemoved });
        showList(cli, hubs, [
          ["HUB", (hub) => hub.slug],
          ["STATE", (hub) => hub.state, "state"],
          ["SPOKES", (hub) => hub.spokeCount, "number"],
          ["NAME", (hub) => hub.name],
          ["CREATED", (hub) => hub.createdAt, "time"],
          ["ID", (hub) => hub.id, "id"],
        ]);
      },
    }),
    verb({
      name: "show",
      summary: "Show a hub",
      words: ["HUB"],
      examples: ["hubs show north"],
      async run(cli, { words: [federationId] }) {
        const hub = await cli.api.getFederation({ federationId: federationId! });
        showRecord(cli, hub, linesOf(hub));
      },
    }),
    verb({
      name: "create",
      summary: "Make a hub (operators), and wait until it is there",
      words: ["SLUG"],
      flags: { ...HUB_FLAGS, ...WAIT_FLAGS },
      examples: ["hubs create north --name 'Northern schools'"],
      async run(cli, { words: [slug], flags }) {
        const waitTime = waitTimeOf(flags), { name, region, mode, tier } = flags;
        const hub = await cli.api.createFederation({ slug: slug!, name, region, mode, tier });
        await waitForHub(cli, hub, waitTime, (hub) => `Hub ${hub.slug} is ${hub.state}`);
      },
    }),
    verb({
      name: "update",
      summary: "Change a hub's name, region, mode or tier",
      words: ["HUB"],
      flags: HUB_FLAGS,
      examples: ["hubs update north --name 'Schools of the north'"],
      async run(cli, { words: [federationId], flags }) {
        if (Object.keys(flags).length === 0) {
          throw new CommandError(EXIT_USAGE, "Nothing to change was given; see --help");
        }
        const hub = await cli.api.updateFederation({ federationId: federationId! }, flags);
        showChange(cli, hub, `Hub ${hub.slug} is changed`);
      },
    }),
    verb({
      name: "retry",
      summary: "Try the provisioning of a failed hub again",
      words: ["HUB"],
      flags: WAIT_FLAGS,
      examples: ["hubs retry north"],
      async run(cli, { words: [federationId], flags }) {
        const waitTime = waitTimeOf(flags);
        const hub = await cli.api.actOnFederation({ federationId: federationId! }, { action: "retry" });
        await waitForHub(cli, hub, waitTime, (hub) => `Hub ${hub.slug} is ${hub.state}`);
      },
    }),
    verb({
      name: "destroy",
      summary: "Remove a hub in which no spoke lives (operators)",
      words: ["HUB"],
      flags: {
        yes: { type: "boolean", short: "y", help: "do not ask" },
        abandon: { type: "boolean", help: "give up a removal that failed, without the cluster" },
        ...WAIT_FLAGS,
      },
      examples: ["hubs destroy north", "hubs destroy north --yes --no-wait"],
      async run(cli, { words: [federationId], flags }) {
        const { yes, abandon } = flags, waitTime = waitTimeOf(flags);
        const hub = await cli.api.getFederation({ federationId: federationId! });
        await confirmByTyping(cli, yes, `This removes the hub ${hub.slug}`, hub.slug);
        const removing = await cli.api.deleteFederation({ federationId: hub.id, abandon });
        const state = waitTime === null ? "removing" : "removed";
        await waitForHub(cli, removing, waitTime, () => `Hub ${hub.slug} is ${state}`);
      },
    }),
    verb({
      name: "operations",
      summary: "List what was done to a hub and its spokes",
      words: ["HUB"],
      flags: { limit: LIMIT_FLAG, all: ALL_FLAG },
      examples: ["hubs operations north --limit 5"],
      run: (cli, { words: [federationId], flags }) => showHubOperations(cli, federationId!, flags),
    }),
    verb({
      name: "members",
      summary: "List who runs a hub",
      words: ["HUB"],
      examples: ["hubs members north"],
      async run(cli, { words: [federationId] }) {
        const members = await cli.api.listFederationMembers({ federationId: federationId! });
        showList(cli, members, MEMBER_COLUMNS, (member) => member.userId);
      },
    }),
    verb({
      name: "add-member",
      summary: "Make somebody an admin of a hub, by invitation where they are new",
      words: ["HUB", "EMAIL"],
      flags: { name: { type: "string", help: "their name, where they are new" } },
      examples: ["hubs add-member north cy@north.example --name 'Cy Holm'"],
      async run(cli, { words: [federationId, email], flags: { name } }) {
        const joined = await cli.api.addFederationMember({ federationId: federationId! }, {
          email: email!,
          displayName: name,
        });
        showChange(
          cli,
          joined,
          `${joined.email} ${MEMBERSHIP_WORDS[joined.status]} hub ${federationId}`,
          joined.userId,
        );
      },
    }),
    verb({
      name: "remove-member",
      summary: "Take a hub back from somebody",
      words: ["HUB", "USER"],
      examples: ["hubs remove-member north cy@north.example"],
      async run(cli, { words: [hub, name] }) {
        const federationId = hub!;
        const userId = await requireMemberId(name!, () => cli.api.listFederationMembers({ federationId }));
        await cli.api.deleteFederationMember({ federationId, userId });
        showChange(cli, { userId }, `${name} runs ${hub} no more`, userId);
      },
    }),
    ...billingVerbs,
  ],
};

function linesOf(hub: Federation): readonly RecordLine[] {
  return [
    ["hub", hub.slug],
    ["name", hub.name],
    ["state", hub.state, "state"],
    ["because", hub.stateReason],
    ["spokes", hub.spokeCount],
    ["region", hub.region],
    ["mode", hub.mode],
    ["tier", hub.tier],
    ["operation", hub.operation?.id],
    ["created", hub.createdAt, "time"],
    ["id", hub.id],
  ];
}

/** Waits for a hub's operation, then shows the new state. A removed hub is shown as it was before. */
async function waitForHub(
  cli: CliContext,
  hub: Federation,
  waitTime: number | null,
  describe: (hub: Federation) => string,
) {
  const readRecord = () => cli.api.getFederation({ federationId: hub.id }).catch(() => hub);
  await waitAndShow(cli, hub, { label: hub.slug, waitTime, describe, readRecord });
}
