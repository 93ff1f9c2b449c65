/** Defines the subcommands that change spokes without being actions: update, destroy, delegate and remove-member. */
import { type Spoke, WheelwrightError } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { confirmByTyping } from "./confirm.ts";
import { MEMBERSHIP_LABELS, requireMemberId } from "./members.ts";
import { type CliContext, defineVerb } from "./verb-declaration.ts";
import { showChange, showChanges, showRecord } from "./output.ts";
import { formatSpokeName, readHubSlugs, requireSpoke, resolveSpokeId } from "./find-spoke.ts";
import { buildSpokePatchBody, createSpokeFlags } from "./spoke-fields.ts";
import { formatActionPreviewLines } from "./spoke-views.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import {
  parseWaitTime,
  type RefusedSpokeRequest,
  throwOperationFailures,
  WAIT_FLAGS,
  waitAndShow,
  waitForOperations,
} from "./wait-for-operations.ts";

export const DRY_RUN_FLAG = { type: "boolean", help: "show what would happen, and change nothing" } as const;

export const spokeChangeVerbs = [
  defineVerb({
    name: "update",
    summary: "Change a spoke's name, brand, administrator, domain or email setting",
    words: ["SPOKE"],
    flags: {
      ...createSpokeFlags("changeable"),
      "dry-run": DRY_RUN_FLAG,
      ...WAIT_FLAGS,
    },
    examples: [
      "spokes update north/ash --name 'Ash school'",
      "spokes update north/ash --domain ash.example --dry-run",
      "spokes update north/rehearsal --mail on",
    ],
    async run(cli, { words: [word], flags }) {
      const waitTime = parseWaitTime(flags), patch = buildSpokePatchBody(flags);
      if (Object.values(patch).every((value) => value === undefined)) {
        throw new CommandError(EXIT_USAGE, "No change was requested. For the options, add --help");
      }
      const spokeId = await resolveSpokeId(cli.api, word!);
      if (flags["dry-run"]) {
        const preview = await cli.api.updateSpoke({ spokeId, dryRun: true }, patch);
        return showRecord(cli, preview, formatActionPreviewLines(preview), preview.spokeId);
      }
      const spoke = await cli.api.updateSpoke({ spokeId }, patch);
      await waitForSpoke(cli, spoke, word!, waitTime, ({ state }) => `Spoke ${word} was updated and is ${state}`);
    },
  }),
  defineVerb({
    name: "destroy",
    summary: "Destroy spokes with all their data",
    words: ["SPOKE..."],
    flags: {
      yes: { type: "boolean", short: "y", help: "skip the confirmation" },
      abandon: {
        type: "boolean",
        help: "abandon a failed removal, and leave the objects in the cluster (operators only)",
      },
      ...WAIT_FLAGS,
    },
    more: "Prompts for the slug of each spoke. Takes a last backup if the cluster supports backups.",
    examples: ["spokes destroy north/ash", "spokes destroy north/ash north/birch --yes --no-wait"],
    async run(cli, { words, flags: { yes, abandon, ...flags } }) {
      const waitTime = parseWaitTime(flags), hubs = await readHubSlugs(cli.api);
      const spokes = await Promise.all(words.map((word) => requireSpoke(cli.api, word)));
      for (const spoke of spokes) {
        await confirmByTyping(
          cli,
          yes,
          `This destroys ${formatSpokeName(spoke, hubs)} (${spoke.domain}) with all its data`,
          spoke.slug,
        );
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
  defineVerb({
    name: "delegate",
    summary: "Add an admin to a spoke; new users get an invitation by email",
    words: ["SPOKE", "EMAIL"],
    flags: { name: { type: "string", help: "name of a new user" } },
    examples: ["spokes delegate north/ash bo@school.example --name 'Bo Berg'"],
    async run(cli, { words: [word, email], flags: { name } }) {
      const spokeId = await resolveSpokeId(cli.api, word!);
      const joined = await cli.api.delegateSpoke({ spokeId }, { email: email!, displayName: name });
      showChange(cli, joined, `${joined.email} ${MEMBERSHIP_LABELS[joined.status]} ${word}`, joined.userId);
    },
  }),
  defineVerb({
    name: "remove-member",
    summary: "Remove an admin from a spoke",
    words: ["SPOKE", "USER"],
    examples: ["spokes remove-member north/ash bo@school.example"],
    async run(cli, { words: [word, name] }) {
      const spokeId = await resolveSpokeId(cli.api, word!);
      const userId = await requireMemberId(name!, () => cli.api.listSpokeMembers({ spokeId }));
      await cli.api.deleteSpokeMember({ spokeId, userId });
      showChange(cli, { userId }, `${name} is no longer an admin of ${word}`, userId);
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
  await waitAndShow(cli, spoke, {
    label,
    waitTime,
    describe,
    readRecord: () => cli.api.getSpoke({ spokeId: spoke.id }),
  });
}
