/** Implements `wheelwright hubs`, which manages hubs, their members and their billing. */
import type { Federation } from "#lib/client/client.ts";
import { type CliContext, defineCommand } from "./command.ts";
import { hubBillingCommands } from "./hub-billing.ts";
import { describeJoining, MEMBER_COLUMNS, NEW_MEMBER_OPTIONS, requireMemberId } from "./members.ts";
import { showHubOperations } from "./operation-views.ts";
import { printNote, requireChanges, showChange, showList, showRecord } from "./output.ts";
import { PAGE_OPTIONS } from "./pagination.ts";
import { confirmByTyping, YES_OPTION } from "./prompt.ts";
import type { RecordLine } from "./table.ts";
import { showHubPreview } from "./hub-preview.ts";
import { parseWaitTime, WAIT_OPTIONS, waitAndShow } from "./wait-for-operations.ts";

export const HUB_OPTIONS = {
  name: { type: "string", help: "display name" },
  region: { type: "string", help: "region of the hub; see 'wheelwright catalog'" },
  mode: { type: "string", help: "mode of the hub; see 'wheelwright catalog'" },
  tier: { type: "string", help: "tier of the hub; see 'wheelwright catalog'" },
} as const;

export const hubsCommands = [
  defineCommand({
    name: "list",
    summary: "List the hubs that you can see",
    options: {
      state: { type: "string", value: "provisioning|active|failed|removing|removed", help: "only hubs in this state" },
      q: { type: "string", value: "TEXT", help: "only hubs whose name or slug contains this text" },
      "include-removed": { type: "boolean", help: "include removed hubs (operators only)" },
    },
    examples: ["hubs list", "hubs list --json=slug,state"],
    async run(cli, { options: { "include-removed": includeRemoved, ...filters } }) {
      showList(cli, await cli.api.listFederations({ ...filters, includeRemoved }), [
        ["HUB", (hub) => hub.slug],
        ["STATE", (hub) => hub.state, "state"],
        ["SPOKES", (hub) => hub.spokeCount, "number"],
        ["NAME", (hub) => hub.name],
        ["CREATED", (hub) => hub.createdAt, "time"],
        ["ID", (hub) => hub.id, "id"],
      ]);
    },
  }),
  defineCommand({
    name: "show",
    summary: "Show a hub",
    words: ["HUB"],
    examples: ["hubs show north"],
    run: async (cli, { words: [federationId] }) =>
      showRecord(cli, await cli.api.getFederation({ federationId }), formatHubLines),
  }),
  defineCommand({
    name: "create",
    summary: "Create a hub, and wait until it is active (operators only)",
    words: ["SLUG"],
    options: { ...HUB_OPTIONS, ...WAIT_OPTIONS },
    examples: ["hubs create north --name 'Northern schools'"],
    async run(cli, { words: [slug], options }) {
      const waitTime = parseWaitTime(options), { name, region, mode, tier } = options;
      const hub = await cli.api.createFederation({ slug, name, region, mode, tier });
      await waitForHub(cli, hub, waitTime);
    },
  }),
  defineCommand({
    name: "update",
    summary: "Change a hub's name, region, mode or tier",
    words: ["HUB"],
    options: {
      ...HUB_OPTIONS,
      "roll-out": { type: "boolean", help: "start a rollout that brings the tier to the spokes (operators only)" },
      "dry-run": { type: "boolean", help: "only show what the tier would do to the spokes" },
    },
    examples: ["hubs update north --name 'Schools of the north'", "hubs update north --tier dedicated --dry-run"],
    run: updateHub,
  }),
  defineCommand({
    name: "retry",
    summary: "Retry the provisioning of a failed hub",
    words: ["HUB"],
    options: WAIT_OPTIONS,
    examples: ["hubs retry north"],
    async run(cli, { words: [federationId], options }) {
      const waitTime = parseWaitTime(options);
      await waitForHub(cli, await cli.api.actOnFederation({ federationId }, { action: "retry" }), waitTime);
    },
  }),
  defineCommand({
    name: "destroy",
    summary: "Remove a hub that has no spokes (operators only)",
    words: ["HUB"],
    options: {
      ...YES_OPTION,
      abandon: { type: "boolean", help: "abandon a failed removal, and leave the hub's objects in the cluster" },
      ...WAIT_OPTIONS,
    },
    examples: ["hubs destroy north", "hubs destroy north --yes --no-wait"],
    async run(cli, { words: [federationId], options }) {
      const { yes, abandon } = options, waitTime = parseWaitTime(options);
      const hub = await cli.api.getFederation({ federationId });
      await confirmByTyping(cli, yes, `This removes the hub ${hub.slug} and cannot be undone`, hub.slug);
      const removing = await cli.api.deleteFederation({ federationId: hub.id, abandon });
      await waitForHub(cli, removing, waitTime, waitTime === null ? "removing" : "removed");
    },
  }),
  defineCommand({
    name: "operations",
    summary: "List the operations on a hub and its spokes",
    words: ["HUB"],
    options: PAGE_OPTIONS,
    examples: ["hubs operations north --limit 5"],
    run: (cli, { words: [federationId], options }) => showHubOperations(cli, federationId, options),
  }),
  defineCommand({
    name: "members",
    summary: "List the admins of a hub",
    words: ["HUB"],
    examples: ["hubs members north"],
    async run(cli, { words: [federationId] }) {
      const members = await cli.api.listFederationMembers({ federationId });
      showList(cli, members, MEMBER_COLUMNS, (member) => member.userId);
    },
  }),
  defineCommand({
    name: "add-member",
    summary: "Add an admin to a hub; new users get an invitation by email",
    words: ["HUB", "EMAIL"],
    options: NEW_MEMBER_OPTIONS,
    examples: ["hubs add-member north cy@north.example --name 'Cy Holm'"],
    async run(cli, { words: [federationId, email], options: { name } }) {
      const joined = await cli.api.addFederationMember({ federationId }, { email, displayName: name });
      showChange(cli, joined, describeJoining(joined, `hub ${federationId}`), joined.userId);
    },
  }),
  defineCommand({
    name: "remove-member",
    summary: "Remove an admin from a hub",
    words: ["HUB", "USER"],
    examples: ["hubs remove-member north cy@north.example"],
    async run(cli, { words: [federationId, name] }) {
      const userId = await requireMemberId(name, () => cli.api.listFederationMembers({ federationId }));
      await cli.api.deleteFederationMember({ federationId, userId });
      showChange(cli, { userId }, `${name} is no longer an admin of hub ${federationId}`, userId);
    },
  }),
  ...hubBillingCommands,
];

interface UpdateOptions {
  readonly name?: string | undefined;
  readonly region?: string | undefined;
  readonly mode?: string | undefined;
  readonly tier?: string | undefined;
  readonly "roll-out"?: boolean | undefined;
  readonly "dry-run"?: boolean | undefined;
}

async function updateHub(
  cli: CliContext,
  { words: [federationId], options }: { readonly words: readonly [string]; readonly options: UpdateOptions },
): Promise<void> {
  const { "roll-out": rollOut, "dry-run": dryRun, ...fields } = options;
  const body = requireChanges({ ...fields, rollOut });
  const { preview, ...hub } = await cli.api.updateFederation({ federationId, dryRun }, body);
  if (preview) return showHubPreview(cli, preview);
  showChange(cli, hub, `Hub ${hub.slug} was updated`);
  if (hub.modeNote !== null && options.mode !== undefined) printNote(cli, hub.modeNote);
}

function formatHubLines(hub: Federation): readonly RecordLine[] {
  return [
    ["hub", hub.slug],
    ["name", hub.name],
    ["state", hub.state, "state"],
    ["reason", hub.stateReason],
    ["spokes", hub.spokeCount],
    ["region", hub.region],
    ["mode", hub.mode],
    ["mode note", hub.modeNote],
    ["tier", hub.tier],
    ["operation", hub.operation?.id],
    ["created", hub.createdAt, "time"],
    ["id", hub.id],
  ];
}

/** Waits for a hub's operation, then shows the hub's state. A removed hub cannot be read, so `state` replaces it. */
async function waitForHub(cli: CliContext, hub: Federation, waitTime: number | null, state?: string): Promise<void> {
  const readRecord = () => cli.api.getFederation({ federationId: hub.id }).catch(() => hub);
  const describe = (now: Federation) => `Hub ${now.slug} is ${state ?? now.state}`;
  await waitAndShow(cli, hub, { label: hub.slug, waitTime, describe, readRecord });
}
