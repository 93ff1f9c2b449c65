/** Defines the subcommands (verbs) that create spokes: one spoke, several spokes, or all spokes listed in a file. */
import type { NewSpoke } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { type CliContext, defineVerb } from "./verb-declaration.ts";
import { resolveSpokeId } from "./find-spoke.ts";
import { showJson, showList, showRecord } from "./output.ts";
import { DRY_RUN_FLAG, waitForSpoke } from "./spoke-change-verbs.ts";
import { readSpokeFile, type SpokeRequest } from "./spoke-files.ts";
import { createSpokes, type CreationOutcome, ensureSpokes } from "./create-spokes.ts";
import { buildNewSpokeBody, createSpokeFlags } from "./spoke-fields.ts";
import { formatCreationPreviewLines } from "./spoke-views.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import { parseWaitTime, throwOperationFailures, WAIT_FLAGS, waitForOperations } from "./wait-for-operations.ts";

const FILE_FLAG = {
  type: "string",
  short: "f",
  value: "FILE",
  help: "file with a list of spokes, as YAML or JSON; - is standard input",
} as const;
const HUB_FLAG = { type: "string", help: "hub for the spokes that are named without a hub" } as const;

export const spokeCreationVerbs = [
  defineVerb({
    name: "create",
    summary: "Create spokes, and wait until they are active",
    words: ["[HUB/SLUG...]"],
    flags: {
      file: FILE_FLAG,
      hub: HUB_FLAG,
      ...createSpokeFlags("settable", {
        displayName: "the slug",
        domain: "SLUG below the server's root domain",
        adminEmail: "yours",
        lmsVersion: "the newest version",
        region: "the region of the hub",
      }),
      "copy-of": {
        type: "string",
        value: "SPOKE",
        help: "copy the courses, users and settings of this spoke; other options override the settings",
      },
      backup: {
        type: "string",
        value: "BACKUP",
        help: "with --copy-of: ID of a backup, or 'now' for a new backup (default: the newest backup)",
      },
      "dry-run": DRY_RUN_FLAG,
      ...WAIT_FLAGS,
    },
    more:
      "A file lists spokes with the fields of the API: [{hub: north, slug: ash, size: large, displayName: Ash school}, …]",
    examples: [
      "spokes create north/ash --name 'Ash school' --size large",
      "spokes create north/ash north/birch --no-wait",
      "spokes create north/rehearsal --copy-of north/ash --backup now",
      "spokes create -f spokes.yaml --json",
    ],
    async run(cli, { words, flags }) {
      const waitTime = parseWaitTime(flags), { "copy-of": source, backup: copyBackup } = flags;
      const body = {
        copyOf: source === undefined ? undefined : await resolveSpokeId(cli.api, source),
        copyBackup,
        ...buildNewSpokeBody(flags),
      };
      const requests = await readSpokeRequests(words, flags, body), [only] = requests;
      if (flags["dry-run"]) return await preview(cli, requests);
      if (flags.file !== undefined || requests.length > 1) {
        return await waitForSpokes(cli, await createSpokes(cli.api, requests), waitTime);
      }
      const spoke = await cli.api.createFederationSpoke({ federationId: only!.hub }, only!.body);
      const label = `${only!.hub}/${spoke.slug}`;
      await waitForSpoke(cli, spoke, label, waitTime, ({ state, url }) => `Spoke ${label} is ${state}: ${url}`);
    },
  }),
  defineVerb({
    name: "apply",
    summary: "Create the spokes that are listed in a file and do not exist yet. You can safely run the command again",
    flags: { file: FILE_FLAG, hub: HUB_FLAG, ...WAIT_FLAGS },
    more: "Existing spokes are not changed. Differences from the file are reported.",
    examples: ["spokes apply -f spokes.yaml", "spokes apply -f - --hub north < spokes.json"],
    async run(cli, { flags }) {
      const waitTime = parseWaitTime(flags);
      if (flags.file === undefined) throw new CommandError(EXIT_USAGE, "wheelwright spokes apply needs --file FILE");
      await waitForSpokes(cli, await ensureSpokes(cli.api, await readSpokeFile(flags.file, flags.hub)), waitTime);
    },
  }),
];

interface SpokeSources {
  readonly file?: string;
  readonly hub?: string;
}

async function readSpokeRequests(
  words: readonly string[],
  { file, hub }: SpokeSources,
  body: Omit<NewSpoke, "slug">,
): Promise<SpokeRequest[]> {
  if (file !== undefined) {
    const both = words.length > 0 || Object.values(body).some((value) => value !== undefined);
    if (both) {
      throw new CommandError(
        EXIT_USAGE,
        "Spoke names and options cannot be combined with --file. Set the fields in the file",
      );
    }
    return await readSpokeFile(file, hub);
  }
  if (words.length === 0) {
    throw new CommandError(EXIT_USAGE, "wheelwright spokes create needs HUB/SLUG, for example north/ash, or --file");
  }
  return words.map((word) => {
    const [first = "", second] = word.split("/"), hubName = second === undefined ? hub : first;
    if (!hubName) throw new CommandError(EXIT_USAGE, `${word} has no hub. Use HUB/${word} or --hub HUB`);
    return { hub: hubName, body: { ...body, slug: second ?? first } };
  });
}

async function preview(cli: CliContext, requests: readonly SpokeRequest[]): Promise<void> {
  if (requests.length !== 1) throw new CommandError(EXIT_USAGE, "--dry-run accepts only one spoke");
  const [{ hub, body }] = requests as [SpokeRequest];
  const found = await cli.api.createFederationSpoke({ federationId: hub, dryRun: true }, body);
  showRecord(cli, found, formatCreationPreviewLines(found), found.spoke.slug);
}

/** Waits until the created spokes are installed, and shows the outcome for each requested spoke. */
async function waitForSpokes(
  cli: CliContext,
  outcomes: readonly CreationOutcome[],
  waitTime: number | null,
): Promise<void> {
  const created = outcomes.filter(({ outcome }) => outcome === "created");
  const operations = created.map(({ id, spoke }) => ({ label: id, operation: spoke!.operation }));
  const result = await waitForOperations(cli, operations, waitTime);
  const now = await Promise.all(outcomes.map(async (one) => {
    if (waitTime === null || result.earlyEnd || one.outcome !== "created") return one;
    return { ...one, spoke: await cli.api.getSpoke({ spokeId: one.spoke!.id }).catch(() => one.spoke!) };
  }));
  if (cli.json) showJson(cli, now);
  else {
    showList(cli, now, [
      ["SPOKE", ({ id }) => id],
      ["OUTCOME", ({ outcome }) => outcome, "state"],
      ["STATE", ({ spoke }) => spoke?.state, "state"],
      ["SITE", ({ spoke }) => spoke?.url],
      ["DIFFERENT FIELDS", ({ differs }) => differs.join(", ")],
    ], ({ id, spoke }) => spoke?.id ?? id);
  }
  throwOperationFailures(operations, result, outcomes.flatMap(({ id, error }) => error ? [{ name: id, error }] : []));
}
