/** Implements the verbs of `wheelwright policy` that show and change what one spoke has of what its hub shares. */
import type { SpokePolicy, SpokePolicyPatch } from "#lib/client/client.ts";
import { POLICY_SECTIONS } from "#lib/model/policy.ts";
import { formatPolicyText } from "#lib/model/policy-text.ts";
import { defineCommand } from "./command.ts";
import { resolveSpokeId } from "./find-spoke.ts";
import { showChange, showRecord } from "./output.ts";
import { parsePolicyValues, parseSection } from "./policy-values.ts";
import type { RecordLine } from "./table.ts";

export const spokePolicyCommands = [
  defineCommand({
    name: "show-spoke",
    summary: "Show what a spoke has of what its hub shares",
    words: ["SPOKE"],
    examples: ["policy show-spoke north/ash"],
    run: async (cli, { words: [spoke] }) =>
      showRecord(cli, await cli.api.getSpokePolicy({ spokeId: await resolveSpokeId(cli.api, spoke) }), formatLines),
  }),
  defineCommand({
    name: "override",
    summary: "Give a spoke its own values, where its hub allows them, or exclude it",
    words: ["SPOKE", "[FIELD=VALUE...]"],
    options: {
      exclude: { type: "string", value: "SECTION", multiple: true, help: "a section that the spoke no longer gets" },
      include: { type: "string", value: "SECTION", multiple: true, help: "a section that the spoke gets again" },
    },
    more: "An empty value returns to the hub's. Only hub admins can exclude a spoke.",
    examples: ["policy override north/ash settings.language=fr", "policy override north/ash --exclude brand"],
    async run(cli, { words: [spoke, ...values], options: { exclude = [], include = [] } }) {
      const spokeId = await resolveSpokeId(cli.api, spoke), current = await cli.api.getSpokePolicy({ spokeId });
      const added = exclude.map(parseSection), removed = include.map(parseSection);
      const excluded = POLICY_SECTIONS.filter((section) =>
        added.includes(section) || current.excluded.includes(section) && !removed.includes(section)
      );
      const patch = { ...parsePolicyValues(values), ...(exclude.length + include.length > 0 && { excluded }) };
      const changed = await cli.api.updateSpokePolicy({ spokeId }, patch as SpokePolicyPatch);
      showChange(cli, changed, "The spoke's own values were saved");
    },
  }),
];

function formatLines(policy: SpokePolicy): readonly RecordLine[] {
  return POLICY_SECTIONS.flatMap((section): RecordLine[] => {
    const { state, version, hubVersion, values, overrides, reasons } = policy[section];
    const own: Readonly<Record<string, unknown>> = overrides;
    return [
      [section, state.replace("_", " ")],
      ["version", `${version ?? "none"} of ${hubVersion}`],
      ...Object.entries(values).filter(([, value]) => value !== null).map(([field, value]): RecordLine => [
        `${section}.${field}`,
        `${formatPolicyText(value)}${own[field] === null ? "" : " (own value)"}`,
      ]),
      ...reasons.map((reason): RecordLine => ["reason", reason]),
    ];
  });
}
