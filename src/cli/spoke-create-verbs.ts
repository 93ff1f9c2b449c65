/** Defines the verbs that create spokes: one, several, or all that a file lists. */
import type { NewSpoke } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { type CliContext, verb } from "./verb-declaration.ts";
import { resolveSpokeId } from "./find-spoke.ts";
import { showJson, showList, showRecord } from "./output.ts";
import { DRY_RUN, waitForSpoke } from "./spoke-change-verbs.ts";
import { readSpokeFile, type SpokeRequest } from "./spoke-files.ts";
import { createSpokes, type CreationOutcome, ensureSpokes } from "./create-spokes.ts";
import { creationLines } from "./spoke-views.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import { throwFailures, WAIT_FLAGS, waitForOperations, waitTimeOf } from "./wait-for-operations.ts";

const FILE_FLAG = {
  type: "string",
  short: "f",
  value: "FILE",
  help: "a list of spokes, as YAML or JSON; - is standard input",
} as const;
const HUB_FLAG = { type: "string", help: "the hub of those that name none" } as const;

export const creationVerbs = [
  verb({
    name: "create",
    summary: "Make spokes, and wait until they run",
    words: ["[HUB/SLUG...]"],
    flags: {
      file: FILE_FLAG,
      hub: HUB_FLAG,
      name: { type: "string", help: "what people call it" },
      size: { type: "string", help: "wheelwright catalog lists the sizes" },
      domain: { type: "string", help: "where its site is; SLUG below the server's own domain when absent" },
      "admin-email": { type: "string", value: "EMAIL", help: "its administrator's address; yours when absent" },
      version: { type: "string", help: "of Moodle; the newest when absent" },
      brand: { type: "string", help: "how it looks" },
      seed: { type: "string", help: "what courses it begins with" },
      region: { type: "string", help: "where it runs; where its hub does when absent" },
      identity: { type: "boolean", help: "sign in by the hub's identity provider" },
      content: { type: "boolean", help: "with the hub's shared content" },
      "content-mode": { type: "string", value: "MODE", help: "how that content is there" },
      "copy-of": {
        type: "string",
        value: "SPOKE",
        help: "with that one's courses and people; what is left out is as there",
      },
      backup: {
        type: "string",
        value: "BACKUP",
        help: "of a copy: its id, or now for one that is taken first; the newest when absent",
      },
      "dry-run": DRY_RUN,
      ...WAIT_FLAGS,
    },
    more: "A file lists them as the API takes them: [{hub: north, slug: ash, size: large, displayName: Ash school}, …]",
    examples: [
      "spokes create north/ash --name 'Ash school' --size large",
      "spokes create north/ash north/birch --no-wait",
      "spokes create north/rehearsal --copy-of north/ash --backup now",
      "spokes create -f spokes.yaml --json",
    ],
    async run(cli, { words, flags }) {
      const waitTime = waitTimeOf(flags), { "copy-of": source, backup: copyBackup } = flags;
      const body = {
        copyOf: source === undefined ? undefined : await resolveSpokeId(cli.api, source),
        copyBackup,
        ...{ displayName: flags.name, size: flags.size, domain: flags.domain, adminEmail: flags["admin-email"] },
        ...{ lmsVersion: flags.version, brand: flags.brand, seed: flags.seed, region: flags.region },
        ...{ identity: flags.identity, content: flags.content, contentMode: flags["content-mode"] },
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
  verb({
    name: "apply",
    summary: "Make what is missing of the spokes in a file; asked again, nothing is made twice",
    flags: { file: FILE_FLAG, hub: HUB_FLAG, ...WAIT_FLAGS },
    more: "What is there stays as it is; where it differs from the file, it says so.",
    examples: ["spokes apply -f spokes.yaml", "spokes apply -f - --hub north < spokes.json"],
    async run(cli, { flags }) {
      const waitTime = waitTimeOf(flags);
      if (flags.file === undefined) throw new CommandError(EXIT_USAGE, "spokes apply needs --file FILE");
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
        "What --file lists has its fields there: give either names and options, or a file",
      );
    }
    return await readSpokeFile(file, hub);
  }
  if (words.length === 0) {
    throw new CommandError(EXIT_USAGE, "spokes create needs HUB/SLUG, such as north/ash, or --file");
  }
  return words.map((word) => {
    const [first = "", second] = word.split("/"), hubName = second === undefined ? hub : first;
    if (!hubName) throw new CommandError(EXIT_USAGE, `${word} needs its hub: HUB/${word}, or --hub HUB`);
    return { hub: hubName, body: { ...body, slug: second ?? first } };
  });
}

async function preview(cli: CliContext, requests: readonly SpokeRequest[]): Promise<void> {
  if (requests.length !== 1) throw new CommandError(EXIT_USAGE, "--dry-run shows one spoke at a time");
  const [{ hub, body }] = requests as [SpokeRequest];
  const found = await cli.api.createFederationSpoke({ federationId: hub, dryRun: true }, body);
  showRecord(cli, found, creationLines(found), found.spoke.slug);
}

/** Waits for the spokes that were created, and shows the outcome of each requested spoke. */
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
      ["DIFFERS IN", ({ differs }) => differs.join(", ")],
    ], ({ id, spoke }) => spoke?.id ?? id);
  }
  throwFailures(operations, result, outcomes.flatMap(({ id, error }) => error ? [{ name: id, error }] : []));
}
