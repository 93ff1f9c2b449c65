/** Implements `wheelwright policy`, which shows and changes what a hub shares with its spokes. */
import type { Policy, PolicyPatch, PolicyPreview } from "#lib/client/client.ts";
import { formatCount } from "#lib/base/text.ts";
import { OVERRIDABLE_SECTIONS, POLICY_SECTIONS } from "#lib/model/policy.ts";
import { formatPolicyText } from "#lib/model/policy-text.ts";
import { type CliContext, defineCommand } from "./command.ts";
import { CommandError, EXIT } from "./exit-status.ts";
import { printNote, showChange, showJson, showList, showRecord } from "./output.ts";
import { parseOverridableField, parsePolicyValues, parseSection, readSecretFiles } from "./policy-values.ts";
import { spokePolicyCommands } from "./spoke-policy.ts";
import type { RecordLine } from "./table.ts";

export const policyCommands = [
  defineCommand({
    name: "show",
    summary: "Show what a hub shares with its spokes",
    words: ["HUB"],
    examples: ["policy show north"],
    run: async (cli, { words: [federationId] }) =>
      showRecord(cli, await cli.api.getFederationPolicy({ federationId }), formatPolicyLines),
  }),
  defineCommand({
    name: "set",
    summary: "Change what a hub shares. A rollout brings the change to the spokes",
    words: ["HUB", "[FIELD=VALUE...]"],
    options: {
      allow: { type: "string", value: "FIELD", multiple: true, help: "a field that spokes may override" },
      forbid: { type: "string", value: "FIELD", multiple: true, help: "a field that spokes may no longer override" },
      "client-secret-file": {
        type: "string",
        value: "FILE",
        help: "the file with the identity provider's client secret; - for standard input",
      },
      "registration-token-file": {
        type: "string",
        value: "FILE",
        help: "the file with the token with which each site registers its own client; - for standard input",
      },
      "dry-run": { type: "boolean", help: "only show which spokes would change" },
    },
    more:
      "A field is written as SECTION.FIELD. An empty value leaves the field to the spokes again. A logo is URL#SHA256.",
    examples: [
      "policy set north settings.language=de brand.color=#aa0044 --dry-run",
      "policy set north settings.language= --allow settings.timeZone",
      "policy set north signIn.issuer=https://login.school.example signIn.clientId=moodle --client-secret-file -",
    ],
    async run(cli, { words: [federationId, ...values], options }) {
      const current = await cli.api.getFederationPolicy({ federationId });
      const patch = buildPatch(current, values, { ...options, secrets: await readSecretFiles(options) });
      if (options["dry-run"]) {
        return showPreview(
          cli,
          await cli.api.updateFederationPolicy({ federationId, dryRun: true }, patch) as PolicyPreview,
        );
      }
      reportChange(cli, await cli.api.updateFederationPolicy({ federationId }, patch) as Policy, current);
    },
  }),
  defineCommand({
    name: "history",
    summary: "List the versions of what a hub shares, newest first",
    words: ["HUB"],
    options: { section: { type: "string", value: "settings|brand|signIn|addons", help: "only this section" } },
    examples: ["policy history north --section settings"],
    async run(cli, { words: [federationId], options: { section } }) {
      const versions = await cli.api.getFederationPolicyHistory({ federationId, section });
      showList(cli, versions, [
        ["SECTION", (one) => one.section],
        ["VERSION", (one) => one.version, "number"],
        ["CHANGED", (one) => one.changedAt, "time"],
        ["BY", (one) => one.changedBy],
        ["VALUES", (one) => JSON.stringify(one.values)],
      ]);
    },
  }),
  defineCommand({
    name: "rollback",
    summary: "Make an older version of a section the newest again",
    words: ["HUB", "SECTION", "VERSION"],
    examples: ["policy rollback north settings 2"],
    async run(cli, { words: [federationId, section, version] }) {
      const current = await cli.api.getFederationPolicy({ federationId });
      const body = { section: parseSection(section), version: Number(version) };
      reportChange(cli, await cli.api.rollbackFederationPolicy({ federationId }, body), current);
    },
  }),
  defineCommand({
    name: "check-sign-in",
    summary: "Check from a site of the hub whether an identity provider can be used",
    words: ["HUB", "[ISSUER]"],
    options: { registers: { type: "boolean", help: "also require that sites can register their own clients" } },
    more: "Without ISSUER, checks the hub's own. Exits with status 1 if the sites cannot use it.",
    examples: ["policy check-sign-in north https://login.school.example"],
    async run(cli, { words: [federationId, issuer], options: { registers } }) {
      const check = await cli.api.checkFederationPolicySignIn({ federationId }, { issuer, registers });
      showRecord(cli, check, () => [
        ["issuer", check.issuer],
        ["usable", check.problem === null ? "yes" : "no"],
        ["problem", check.problem],
        ["checked by", check.spokeId],
      ], check.spokeId);
      if (check.problem !== null) throw new CommandError(EXIT.failed, "The sites cannot use this provider");
    },
  }),
  ...spokePolicyCommands,
];

interface SetOptions {
  readonly allow?: readonly string[];
  readonly forbid?: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
}

/** Builds the request. It is based on the current versions, so that it cannot undo a change of another user. */
function buildPatch(
  current: Policy,
  values: readonly string[],
  { allow = [], forbid = [], secrets }: SetOptions,
): PolicyPatch {
  const changes = parsePolicyValues(values);
  const lists = OVERRIDABLE_SECTIONS.map((section) => {
    const inSection = (names: readonly string[]) =>
      names.map(parseOverridableField).filter(([own]) => own === section).map(([, field]) => field);
    const without = inSection(forbid), kept = current[section].overridable.filter((field) => !without.includes(field));
    return [section, [...new Set([...kept, ...inSection(allow)])]] as const;
  });
  return {
    ...changes,
    ...(Object.keys(secrets).length > 0 && { signIn: { ...changes.signIn, ...secrets } }),
    ...(allow.length + forbid.length > 0 && { overridable: Object.fromEntries(lists) }),
    ifVersion: Object.fromEntries(POLICY_SECTIONS.map((section) => [section, current[section].version])),
  } as PolicyPatch;
}

function formatPolicyLines(policy: Policy): readonly RecordLine[] {
  return [
    ...POLICY_SECTIONS.flatMap((section): RecordLine[] => {
      const { version, values, overridable, changedBy, changedAt } = policy[section], counts = policy.spokes[section];
      return [
        [section, version === 0 ? "never set" : `version ${version}`],
        ...Object.entries(values).filter(([, value]) => value !== null).map(([field, value]): RecordLine => [
          `${section}.${field}`,
          formatPolicyText(value),
        ]),
        ["spokes may override", overridable.join(", ") || "nothing"],
        ["spokes", Object.entries(counts).map(([state, count]) => `${count} ${state.replace("_", " ")}`).join(", ")],
        ...(changedAt === null ? [] : [["changed", changedAt, "time"], ["by", changedBy]] as RecordLine[]),
      ];
    }),
    ...policy.redirectUris.map((uri): RecordLine => ["redirect URI", uri]),
    ["rollout", policy.rollout && `${policy.rollout.id} (${policy.rollout.state})`],
  ];
}

function reportChange(cli: CliContext, policy: Policy, before: Policy): void {
  const changed = POLICY_SECTIONS.filter((section) => policy[section].version !== before[section].version);
  if (changed.length === 0) return showChange(cli, policy, "Nothing changed");
  const versions = changed.map((section) => `${section} version ${policy[section].version}`).join(" and ");
  showChange(cli, policy, `The hub now shares ${versions}`);
  if (policy.rollout && policy.rollout.id !== before.rollout?.id) {
    printNote(cli, `To watch it reach the spokes, run: wheelwright rollouts watch ${policy.rollout.id}`);
  }
}

function showPreview(cli: CliContext, preview: PolicyPreview): void {
  if (cli.json) return showJson(cli, preview);
  const { changes, later, overridden, excluded } = preview.counts;
  showRecord(cli, preview, () => [
    ...preview.changes.map(({ section, field, from, to }): RecordLine => [
      `${section}.${field}`,
      `${formatChangedValue(from)} → ${formatChangedValue(to)}`,
    ]),
    ["change now", formatCount(changes, "spoke")],
    ["change later", formatCount(later, "spoke")],
    ["keep their own values", formatCount(overridden, "spoke")],
    ["excluded", formatCount(excluded, "spoke")],
    ["downtime", preview.downtime ? "yes" : "none"],
  ], "");
  showList(cli, preview.spokes, [
    ["SPOKE", (one) => one.slug],
    ["EFFECT", (one) => one.effect],
    ["REASON", (one) => one.reason],
  ], ({ spokeId }) => spokeId);
  if (preview.more > 0) printNote(cli, `${formatCount(preview.more, "more spoke")} not listed`);
  for (const note of preview.notes) printNote(cli, note);
}

function formatChangedValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ") || "nothing";
  return value === null ? "not set" : formatPolicyText(value);
}
