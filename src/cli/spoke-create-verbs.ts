/** Declares the verbs that create spokes: one spoke, several spokes, or all spokes listed in a file. */
import type { NewSpoke } from "#lib/client/client.ts";
import { type CliContext, defineCommand, type OptionValues } from "./command.ts";
import { createSpokes, type CreationOutcome, ensureSpokes, readSpokeFile, type SpokeRequest } from "./create-spokes.ts";
import { UsageError } from "./exit-status.ts";
import { resolveSpokeId } from "./find-spoke.ts";
import { showJson, showList, showRecord } from "./output.ts";
import { DRY_RUN_OPTION, waitForSpoke } from "./spoke-change-verbs.ts";
import { buildNewSpokeBody, createSpokeOptions } from "./spoke-fields.ts";
import { formatCreationPreviewLines } from "./spoke-views.ts";
import { parseWaitTime, throwOperationFailures, WAIT_OPTIONS, waitForOperations } from "./wait-for-operations.ts";

const SOURCE_OPTIONS = {
  file: {
    type: "string",
    short: "f",
    value: "FILE",
    help: "file with a list of spokes, as YAML or JSON; - is standard input",
  },
  hub: { type: "string", help: "hub for the spokes that are named without a hub" },
} as const;

export const spokeCreationVerbs = [
  defineCommand({
    name: "create",
    summary: "Create spokes, and wait until they are active",
    words: ["[HUB/SLUG...]"],
    options: {
      ...SOURCE_OPTIONS,
      ...createSpokeOptions("settable", {
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
      ...DRY_RUN_OPTION,
      ...WAIT_OPTIONS,
    },
    more:
      "A file lists spokes with the fields of the API: [{hub: north, slug: ash, size: large, displayName: Ash school}, …]",
    examples: [
      "spokes create north/ash --name 'Ash school' --size large",
      "spokes create north/ash north/birch --no-wait",
      "spokes create north/rehearsal --copy-of north/ash --backup now",
      "spokes create -f spokes.yaml --json",
    ],
    async run(cli, { words, options }) {
      const waitTime = parseWaitTime(options), { "copy-of": source, backup: copyBackup } = options;
      const body = {
        copyOf: source === undefined ? undefined : await resolveSpokeId(cli.api, source),
        copyBackup,
        ...buildNewSpokeBody(options),
      };
      const requests = await readSpokeRequests(words, options, body), [only] = requests;
      if (options["dry-run"]) return await preview(cli, requests);
      if (options.file !== undefined || requests.length > 1) {
        return await waitForSpokes(cli, await createSpokes(cli.api, requests), waitTime);
      }
      const spoke = await cli.api.createFederationSpoke({ federationId: only!.hub }, only!.body);
      const label = `${only!.hub}/${spoke.slug}`;
      await waitForSpoke(cli, spoke, label, waitTime, ({ state, url }) => `Spoke ${label} is ${state}: ${url}`);
    },
  }),
  defineCommand({
    name: "apply",
    summary: "Create the spokes that are listed in a file and do not exist yet. You can safely run the command again",
    options: { ...SOURCE_OPTIONS, ...WAIT_OPTIONS },
    more: "Existing spokes are not changed. Differences from the file are reported.",
    examples: ["spokes apply -f spokes.yaml", "spokes apply -f - --hub north < spokes.json"],
    async run(cli, { options: { file, hub, ...options } }) {
      const waitTime = parseWaitTime(options);
      if (file === undefined) throw new UsageError("wheelwright spokes apply needs --file FILE");
      await waitForSpokes(cli, await ensureSpokes(cli.api, await readSpokeFile(file, hub)), waitTime);
    },
  }),
];

async function readSpokeRequests(
  words: readonly string[],
  { file, hub }: OptionValues<typeof SOURCE_OPTIONS>,
  body: Omit<NewSpoke, "slug">,
): Promise<SpokeRequest[]> {
  if (file !== undefined) {
    if (words.length > 0 || Object.values(body).some((value) => value !== undefined)) {
      throw new UsageError("Spoke names and options cannot be combined with --file. Set the fields in the file");
    }
    return await readSpokeFile(file, hub);
  }
  if (words.length === 0) {
    throw new UsageError("wheelwright spokes create needs HUB/SLUG, for example north/ash, or --file");
  }
  return words.map((word) => {
    const [first = "", second] = word.split("/"), hubName = second === undefined ? hub : first;
    if (!hubName) throw new UsageError(`${word} has no hub. Use HUB/${word} or --hub HUB`);
    return { hub: hubName, body: { ...body, slug: second ?? first } };
  });
}

async function preview(cli: CliContext, requests: readonly SpokeRequest[]): Promise<void> {
  if (requests.length !== 1) throw new UsageError("--dry-run accepts only one spoke");
  const { hub, body } = requests[0]!;
  const found = await cli.api.createFederationSpoke({ federationId: hub, dryRun: true }, body);
  showRecord(cli, found, formatCreationPreviewLines, found.spoke.slug);
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
