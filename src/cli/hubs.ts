/** Implements `wheelwright hubs`, which manages hubs, their members and their billing. */
import type { Federation } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { confirmByTyping } from "./confirm.ts";
import { hubBillingVerbs } from "./hub-billing-verbs.ts";
import { ALL_FLAG, LIMIT_FLAG } from "./pagination.ts";
import { MEMBER_COLUMNS, MEMBERSHIP_LABELS, requireMemberId } from "./members.ts";
import { type CliContext, type CommandGroup, defineVerb } from "./verb-declaration.ts";
import { showHubOperations } from "./operation-views.ts";
import { showChange, showList, showRecord } from "./output.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import type { RecordLine } from "./table.ts";
import { parseWaitTime, WAIT_FLAGS, waitAndShow } from "./wait-for-operations.ts";

const HUB_FLAGS = {
  name: { type: "string", help: "display name" },
  region: { type: "string", help: "region of the hub; see 'wheelwright catalog'" },
  mode: { type: "string", help: "mode of the hub; see 'wheelwright catalog'" },
  tier: { type: "string", help: "tier of the hub; see 'wheelwright catalog'" },
} as const;

export const hubsCommands: CommandGroup = {
  name: "hubs",
  summary: "Hubs: groups of spokes, with their own administrators and billing",
  verbs: [
    defineVerb({
      name: "list",
      summary: "List the hubs that you can see",
      flags: {
        state: {
          type: "string",
          value: "provisioning|active|failed|removing|removed",
          help: "only hubs in this state",
        },
        q: { type: "string", value: "TEXT", help: "only hubs whose name or slug contains this text" },
        "include-removed": { type: "boolean", help: "include removed hubs (operators only)" },
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
    defineVerb({
      name: "show",
      summary: "Show a hub",
      words: ["HUB"],
      examples: ["hubs show north"],
      async run(cli, { words: [federationId] }) {
        const hub = await cli.api.getFederation({ federationId: federationId! });
        showRecord(cli, hub, linesOf(hub));
      },
    }),
    defineVerb({
      name: "create",
      summary: "Create a hub, and wait until it is active (operators only)",
      words: ["SLUG"],
      flags: { ...HUB_FLAGS, ...WAIT_FLAGS },
      examples: ["hubs create north --name 'Northern schools'"],
      async run(cli, { words: [slug], flags }) {
        const waitTime = parseWaitTime(flags), { name, region, mode, tier } = flags;
        const hub = await cli.api.createFederation({ slug: slug!, name, region, mode, tier });
        await waitForHub(cli, hub, waitTime, (hub) => `Hub ${hub.slug} is ${hub.state}`);
      },
    }),
    defineVerb({
      name: "update",
      summary: "Change a hub's name, region, mode or tier",
      words: ["HUB"],
      flags: HUB_FLAGS,
      examples: ["hubs update north --name 'Schools of the north'"],
      async run(cli, { words: [federationId], flags }) {
        if (Object.keys(flags).length === 0) {
          throw new CommandError(EXIT_USAGE, "No change was requested. For the options, add --help");
        }
        const hub = await cli.api.updateFederation({ federationId: federationId! }, flags);
        showChange(cli, hub, `Hub ${hub.slug} was updated`);
      },
    }),
    defineVerb({
      name: "retry",
      summary: "Retry the provisioning of a failed hub",
      words: ["HUB"],
      flags: WAIT_FLAGS,
      examples: ["hubs retry north"],
      async run(cli, { words: [federationId], flags }) {
        const waitTime = parseWaitTime(flags);
        const hub = await cli.api.actOnFederation({ federationId: federationId! }, { action: "retry" });
        await waitForHub(cli, hub, waitTime, (hub) => `Hub ${hub.slug} is ${hub.state}`);
      },
    }),
    defineVerb({
      name: "destroy",
      summary: "Remove a hub that has no spokes (operators only)",
      words: ["HUB"],
      flags: {
        yes: { type: "boolean", short: "y", help: "skip the confirmation" },
        abandon: { type: "boolean", help: "abandon a failed removal, and leave the hub's objects in the cluster" },
        ...WAIT_FLAGS,
      },
      examples: ["hubs destroy north", "hubs destroy north --yes --no-wait"],
      async run(cli, { words: [federationId], flags }) {
        const { yes, abandon } = flags, waitTime = parseWaitTime(flags);
        const hub = await cli.api.getFederation({ federationId: federationId! });
        await confirmByTyping(cli, yes, `This removes the hub ${hub.slug}`, hub.slug);
        const removing = await cli.api.deleteFederation({ federationId: hub.id, abandon });
        const state = waitTime === null ? "removing" : "removed";
        await waitForHub(cli, removing, waitTime, () => `Hub ${hub.slug} is ${state}`);
      },
    }),
    defineVerb({
      name: "operations",
      summary: "List the operations on a hub and its spokes",
      words: ["HUB"],
      flags: { limit: LIMIT_FLAG, all: ALL_FLAG },
      examples: ["hubs operations north --limit 5"],
      run: (cli, { words: [federationId], flags }) => showHubOperations(cli, federationId!, flags),
    }),
    defineVerb({
      name: "members",
      summary: "List the admins of a hub",
      words: ["HUB"],
      examples: ["hubs members north"],
      async run(cli, { words: [federationId] }) {
        const members = await cli.api.listFederationMembers({ federationId: federationId! });
        showList(cli, members, MEMBER_COLUMNS, (member) => member.userId);
      },
    }),
    defineVerb({
      name: "add-member",
      summary: "Add an admin to a hub; new users get an invitation by email",
      words: ["HUB", "EMAIL"],
      flags: { name: { type: "string", help: "name of a new user" } },
      examples: ["hubs add-member north cy@north.example --name 'Cy Holm'"],
      async run(cli, { words: [federationId, email], flags: { name } }) {
        const joined = await cli.api.addFederationMember({ federationId: federationId! }, {
          email: email!,
          displayName: name,
        });
        showChange(
          cli,
          joined,
          `${joined.email} ${MEMBERSHIP_LABELS[joined.status]} hub ${federationId}`,
          joined.userId,
        );
      },
    }),
    defineVerb({
      name: "remove-member",
      summary: "Remove an admin from a hub",
      words: ["HUB", "USER"],
      examples: ["hubs remove-member north cy@north.example"],
      async run(cli, { words: [hub, name] }) {
        const federationId = hub!;
        const userId = await requireMemberId(name!, () => cli.api.listFederationMembers({ federationId }));
        await cli.api.deleteFederationMember({ federationId, userId });
        showChange(cli, { userId }, `${name} is no longer an admin of hub ${hub}`, userId);
      },
    }),
    ...hubBillingVerbs,
  ],
};

function linesOf(hub: Federation): readonly RecordLine[] {
  return [
    ["hub", hub.slug],
    ["name", hub.name],
    ["state", hub.state, "state"],
    ["reason", hub.stateReason],
    ["spokes", hub.spokeCount],
    ["region", hub.region],
    ["mode", hub.mode],
    ["tier", hub.tier],
    ["operation", hub.operation?.id],
    ["created", hub.createdAt, "time"],
    ["id", hub.id],
  ];
}

/** Waits for a hub's operation, then shows the hub's new state. If the hub was removed, shows its last known state. */
async function waitForHub(
  cli: CliContext,
  hub: Federation,
  waitTime: number | null,
  describe: (hub: Federation) => string,
) {
  const readRecord = () => cli.api.getFederation({ federationId: hub.id }).catch(() => hub);
  await waitAndShow(cli, hub, { label: hub.slug, waitTime, describe, readRecord });
}
