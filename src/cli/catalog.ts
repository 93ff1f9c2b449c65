/** Implements `wheelwright catalog` and `changelog`. */
import type { Catalog } from "#lib/client/client.ts";
import { type CliContext, defineCommand } from "./command.ts";
import { print, printNote, showJson, showTable } from "./output.ts";
import { formatMoney } from "./spoke-views.ts";
import { sanitizeLine, sanitizeLines, wrapText } from "./text.ts";

export const catalogCommand = defineCommand({
  examples: ["catalog", "catalog --json=sizes,versions"],
  async run(cli) {
    const catalog = await cli.api.getCatalog();
    if (cli.json) return showJson(cli, catalog);
    if (cli.quiet) return print(catalog.sizes.map(({ name }) => `${sanitizeLine(name)}\n`).join(""));
    showTable(cli, catalogRows(catalog), [
      ["KIND", ({ what }) => what],
      ["NAME", ({ name }) => name],
      ["", ({ usual }) => usual ? "default" : "", "state"],
      ["PRICE", ({ price }) => price],
      ["TITLE", ({ title }) => title],
    ]);
    const open = catalog.open.filter((section) => section !== "versions").map(toWords);
    if (open.length > 0) printNote(cli, `Any value is allowed for: ${open.join(", ")}`);
    if (open.length < catalog.open.length) printNote(cli, "Versions that are not listed are also accepted");
  },
});

/** Turns a field name into words: `contentModes` becomes `content modes`. */
function toWords(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

interface CatalogRow {
  readonly what: string;
  readonly name: string;
  readonly title: string;
  readonly usual: boolean;
  readonly price?: string | null;
}

function catalogRows(catalog: Catalog): CatalogRow[] {
  const named = (what: string, offers: readonly { name: string; title: string | null; default?: boolean }[]) =>
    offers.map(({ name, title, default: usual = false }) => ({ what, name, title: title ?? "", usual }));
  const sizes = catalog.sizes.map(({ name, title, default: usual, resources: { app, disks }, price }) => ({
    ...{ what: "size", name, usual },
    title: title ?? `${app.limits.cpu} cpu, ${app.limits.memory}, ${disks.files} for files`,
    price: price && `${formatMoney(price.monthly, price.currency)} a month`,
  }));
  return [
    ...sizes,
    ...named("version", catalog.versions),
    ...named("region", catalog.regions),
    ...catalog.tiers.map((tier) => ({ ...{ what: "tier", name: tier.name, usual: false }, title: describeTier(tier) })),
    ...named("mode", catalog.modes),
    ...named("content mode", catalog.contentModes),
    ...named("brand", catalog.brands),
    ...named("seed", catalog.seeds),
  ];
}

function describeTier({ title, placement, sizes, backups, bounds }: Catalog["tiers"][number]): string {
  const { retention, window } = backups;
  const parts = [
    title ?? "",
    ...Object.entries(placement?.nodeSelector ?? {}).map(([label, value]) => `nodes ${label}=${value}`),
    sizes ? `sizes ${sizes.join(", ")}` : "",
    bounds.spokes === null ? "" : `${bounds.spokes} spokes`,
    bounds.storage === null ? "" : `${bounds.storage} of volumes`,
    window ? `backups from ${window.from} to ${window.to} UTC` : "",
    retention ? `keeps ${retention.daily} daily, ${retention.weekly} weekly, ${retention.monthly} monthly` : "",
  ];
  return parts.filter(Boolean).join("; ");
}

/** Formats a CHANGELOG.md entry for the terminal, without its Markdown markup. */
function formatChange({ terminal }: CliContext, change: string): string {
  const words = sanitizeLines(change).replaceAll("`", "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return wrapText(words, "  ").replace(/\*\*([^*]*)\*\*/g, (_, area) => terminal.paint("bold", area));
}

export const changelogCommand = defineCommand({
  more: "Needs no sign-in.",
  examples: ["changelog"],
  async run(cli) {
    const changelog = await cli.publicApi.getChangelog(), { notices, releases, version, api } = changelog;
    if (cli.json) return showJson(cli, changelog);
    print(`The server runs Wheelwright ${sanitizeLines(version)} with API ${sanitizeLines(api)}\n`);
    for (const { title, state, takesEffectAt, note } of notices) {
      const head = `${title} (${state.replace("_", " ")}, ${takesEffectAt.slice(0, 10)})`;
      print(`\n${sanitizeLines(`${head}\n  ${note}`)}\n`);
    }
    for (const release of releases) {
      const head = `${release.version}${release.releasedAt ? `, ${release.releasedAt.slice(0, 10)}` : ""}`;
      const changes = release.changes.map((change) => `${formatChange(cli, `- ${change}`)}\n`).join("");
      print(`\n${cli.terminal.paint("bold", sanitizeLines(head))}\n${changes}`);
    }
  },
});
