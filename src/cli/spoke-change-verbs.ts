/** Declares the verbs that change spokes without being actions: update, destroy, delegate and remove-member. */
import { type Spoke, WheelwrightError } from "#lib/client/client.ts";
import { type CliContext, defineCommand } from "./command.ts";
import { formatSpokeName, readHubSlugs, requireSpoke, resolveSpokeId } from "./find-spoke.ts";
import { describeJoining, NEW_MEMBER_OPTIONS, requireMemberId } from "./members.ts";
import { requireChanges, showChange, showChanges, showRecord } from "./output.ts";
import { confirmByTyping, YES_OPTION } from "./prompt.ts";
import { buildSpokePatchBody, createSpokeOptions } from "./spoke-fields.ts";
import { formatActionPreviewLines } from "./spoke-views.ts";
import {
  parseWaitTime,
  type RefusedSpokeRequest,
  throwOperationFailures,
  WAIT_OPTIONS,
  waitAndShow,
  waitForOperations,
} from "./wait-for-operations.ts";

export const DRY_RUN_OPTION = {
  "dry-run": { type: "boolean", help: "show what would happen, and change nothing" },
} as const;

export const spokeChangeVerbs = [
  defineCommand({
    name: "update",
    summary: "Change a spoke's name, brand, administrator, sign-in, domain or email setting",
    words: ["SPOKE"],
    options: { ...createSpokeOptions("changeable"), ...DRY_RUN_OPTION, ...WAIT_OPTIONS },
    examples: [
      "spokes update north/ash --name 'Ash school'",
      "spokes update north/ash --domain ash.example --dry-run",
      "spokes update north/rehearsal --mail on",
      "spokes update north/ash --identity on",
    ],
    async run(cli, { words: [name], options }) {
      const waitTime = parseWaitTime(options), changes = requireChanges(buildSpokePatchBody(options));
      const spokeId = await resolveSpokeId(cli.api, name);
      if (options["dry-run"]) {
        const preview = await cli.api.updateSpoke({ spokeId, dryRun: true }, changes);
        return showRecord(cli, preview, formatActionPreviewLines, preview.spokeId);
      }
      const spoke = await cli.api.updateSpoke({ spokeId }, changes);
      await waitForSpoke(cli, spoke, name, waitTime, ({ state }) => `Spoke ${name} was updated and is ${state}`);
    },
  }),
  defineCommand({
    name: "destroy",
    summary: "Destroy spokes with all their data",
    words: ["SPOKE..."],
    options: {
      ...YES_OPTION,
      abandon: {
        type: "boolean",
        help: "abandon a failed removal, and leave the objects in the cluster (operators only)",
      },
      ...WAIT_OPTIONS,
    },
    more: "Prompts for the slug of each spoke. Takes a last backup if the cluster supports backups.",
    examples: ["spokes destroy north/ash", "spokes destroy north/ash north/birch --yes --no-wait"],
    async run(cli, { words, options: { yes, abandon, ...options } }) {
      const waitTime = parseWaitTime(options), hubs = await readHubSlugs(cli.api);
      const spokes = await Promise.all(words.map((word) => requireSpoke(cli.api, word)));
      for (const spoke of spokes) {
        const what = `This destroys ${
          formatSpokeName(spoke, hubs)
        } (${spoke.domain}) with all its data and cannot be undone`;
        await confirmByTyping(cli, yes, what, spoke.slug);
      }
      const removing: Spoke[] = [], refusals: RefusedSpokeRequest[] = [];
      for (const spoke of spokes) {
        try {
          removing.push(await cli.api.deleteSpoke({ spokeId: spoke.id, abandon }));
        } catch (error) {
          if (!(error instanceof WheelwrightError) || spokes.length === 1) throw error;
          refusals.push({ name: formatSpokeName(spoke, hubs), error });
        }
      }
      const operations = removing.map((spoke) => ({ label: formatSpokeName(spoke, hubs), operation: spoke.operation }));
      const result = await waitForOperations(cli, operations, waitTime);
      const after = removing.map((spoke, i) => {
        const operation = result.operations[i] ?? spoke.operation;
        return result.operations[i]?.state === "succeeded" // only operators can read a removed spoke
          ? { ...spoke, state: "removed" as const, status: "removed" as const, operation }
          : { ...spoke, operation };
      });
      const records = cli.json ? after : after.filter(({ operation }) => operation?.state !== "failed");
      showChanges(cli, records, (spoke) => `Spoke ${formatSpokeName(spoke, hubs)} is ${spoke.state}`);
      throwOperationFailures(operations, result, refusals);
    },
  }),
  defineCommand({
    name: "delegate",
    summary: "Add an admin to a spoke; new users get an invitation by email",
    words: ["SPOKE", "EMAIL"],
    options: NEW_MEMBER_OPTIONS,
    examples: ["spokes delegate north/ash bo@school.example --name 'Bo Berg'"],
    async run(cli, { words: [spoke, email], options: { name } }) {
      const spokeId = await resolveSpokeId(cli.api, spoke);
      const joined = await cli.api.delegateSpoke({ spokeId }, { email, displayName: name });
      showChange(cli, joined, describeJoining(joined, spoke), joined.userId);
    },
  }),
  defineCommand({
    name: "remove-member",
    summary: "Remove an admin from a spoke",
    words: ["SPOKE", "USER"],
    examples: ["spokes remove-member north/ash bo@school.example"],
    async run(cli, { words: [spoke, name] }) {
      const spokeId = await resolveSpokeId(cli.api, spoke);
      const userId = await requireMemberId(name, () => cli.api.listSpokeMembers({ spokeId }));
      await cli.api.deleteSpokeMember({ spokeId, userId });
      showChange(cli, { userId }, `${name} is no longer an admin of ${spoke}`, userId);
    },
  }),
];

/** Waits for a spoke's operation, then shows the spoke's new state. */
export async function waitForSpoke(
  cli: CliContext,
  spoke: Spoke,
  label: string,
  waitTime: number | null,
  describe: (spoke: Spoke) => string,
): Promise<void> {
  const readRecord = () => cli.api.getSpoke({ spokeId: spoke.id });
  await waitAndShow(cli, spoke, { label, waitTime, describe, readRecord });
}
