/** Declares the verbs that show spokes, their operations, logs, activity, backups and members, or open their sites. */
import type { Wheelwright } from "#lib/client/client.ts";
import { openBrowser } from "./open-browser.ts";
import { AUDIT_COLUMNS } from "./audit.ts";
import { defineCommand } from "./command.ts";
import { CommandError, EXIT, UsageError } from "./exit-status.ts";
import { readHubSlugs, requireSpoke, resolveSpokeId } from "./find-spoke.ts";
import { MEMBER_COLUMNS } from "./members.ts";
import { formatFailureLines, showSpokeOperations } from "./operation-views.ts";
import { print, printNote, showJson, showList, showRecord } from "./output.ts";
import { PAGE_OPTIONS, showPages } from "./pagination.ts";
import { buildSpokeFilter, SPOKE_FILTER_OPTIONS } from "./spoke-filter-options.ts";
import { createSpokeColumns, formatSpokeLines } from "./spoke-views.ts";
import { renderRecord } from "./table.ts";
import { sanitizeLine, sanitizeLines } from "./text.ts";
import { formatRelativeTime } from "./times.ts";

type SpokeSort = NonNullable<Parameters<Wheelwright["listMySpokes"]>[0]>["sort"];

export const spokeReadVerbs = [
  defineCommand({
    name: "list",
    summary: "List the spokes that you can see",
    words: ["[HUB]"],
    options: {
      hub: { type: "string", value: "HUB", help: "only spokes of this hub" },
      ...SPOKE_FILTER_OPTIONS,
      q: {
        type: "string",
        value: "TEXT",
        help: "only spokes whose name, domain or administrator's address contains this text",
      },
      sort: { type: "string", value: "newest|oldest|last-failure|storage", help: "the order (default: newest first)" },
      "include-removed": { type: "boolean", help: "include removed spokes (operators only)" },
    },
    examples: [
      "spokes list north",
      "spokes list --state failed --json=id,slug,stateReason",
      "spokes list --sort storage",
    ],
    async run(cli, { words: [word], options: { hub = word, q, sort, "include-removed": includeRemoved, ...options } }) {
      if (word !== undefined && word !== hub) throw new UsageError(`Use either ${word} or --hub ${hub}, not both`);
      const filters = { ...buildSpokeFilter(options), q, sort: sort as SpokeSort, includeRemoved };
      const isText = !cli.json && !cli.quiet;
      const [spokes, hubs] = await Promise.all([
        hub === undefined
          ? cli.api.listMySpokes(filters)
          : cli.api.listFederationSpokes({ ...filters, federationId: hub }),
        isText ? readHubSlugs(cli.api) : new Map<string, string>(),
      ]);
      showList(cli, spokes, createSpokeColumns(hubs));
      if (isText && spokes.length === 0) printNote(cli, "To create a spoke, run 'wheelwright spokes create HUB/SLUG'");
    },
  }),
  defineCommand({
    name: "show",
    summary: "Show a spoke, identified by ID, HUB/SLUG or domain",
    words: ["SPOKE"],
    examples: ["spokes show north/ash", "spokes show ash.spokes.localhost --json=state,url"],
    async run(cli, { words: [name] }) {
      const [spoke, hubs] = await Promise.all([
        requireSpoke(cli.api, name),
        cli.json ? new Map<string, string>() : readHubSlugs(cli.api),
      ]);
      showRecord(cli, spoke, () => formatSpokeLines(spoke, hubs));
    },
  }),
  defineCommand({
    name: "open",
    summary: "Print the URL of a spoke's site, and open it in a browser",
    words: ["SPOKE"],
    options: {
      "sign-in": { type: "boolean", help: "print a link that lets the site's administrator choose a password" },
      "no-browser": { type: "boolean", help: "only print the URL" },
    },
    more: "The sign-in link is printed only once. It is not opened in a browser, because other users could see it.",
    examples: ["spokes open north/ash", "spokes open north/ash --sign-in"],
    async run(cli, { words: [name], options }) {
      if (options["sign-in"]) {
        const link = await cli.api.createSpokeSignInLink({ spokeId: await resolveSpokeId(cli.api, name) });
        if (cli.json) return showJson(cli, link);
        print(`${sanitizeLine(link.url)}\n`);
        const expiry = `The link expires at ${link.expiresAt}`;
        return printNote(cli, `The first person to open this link chooses the password. ${expiry}`);
      }
      const spoke = await requireSpoke(cli.api, name);
      if (cli.json) return showJson(cli, spoke);
      print(`${sanitizeLine(spoke.url)}\n`);
      if (cli.terminal.out && !options["no-browser"]) openBrowser(spoke.url, cli.env);
    },
  }),
  defineCommand({
    name: "operations",
    summary: "List the operations on a spoke",
    words: ["SPOKE"],
    options: PAGE_OPTIONS,
    examples: ["spokes operations north/ash"],
    run: (cli, { words: [name], options }) => showSpokeOperations(cli, name, options),
  }),
  defineCommand({
    name: "logs",
    summary: "Show the last failed operation of a spoke, with its log",
    words: ["SPOKE"],
    examples: ["spokes logs north/ash"],
    async run(cli, { words: [name] }) {
      const spokeId = await resolveSpokeId(cli.api, name);
      for await (const { id, state } of cli.api.listSpokeOperations({ spokeId })) {
        if (state !== "failed") continue;
        const operation = await cli.api.getOperation({ operationId: id }), { error } = operation;
        if (cli.json) return showJson(cli, operation);
        const { terminal } = cli, errorTerminal = { ...terminal, out: true, paint: terminal.paintErr };
        const failure = renderRecord(errorTerminal, [["operation", id], ...formatFailureLines(operation)]);
        if (!cli.quiet) process.stderr.write(failure); // `printNote` would remove the colours
        for (const { at, object, reason, message } of error?.events ?? []) {
          print(`${sanitizeLines(`${at} ${object} ${reason}: ${message}`)}\n`);
        }
        return print(error?.log.map((line) => `${sanitizeLines(line)}\n`).join("") ?? "");
      }
      throw new CommandError(EXIT.notFound, `No operation on ${name} failed`);
    },
  }),
  defineCommand({
    name: "activity",
    summary: "List the audit events of a spoke",
    words: ["SPOKE"],
    options: PAGE_OPTIONS,
    examples: ["spokes activity north/ash --limit 5"],
    async run(cli, { words: [name], options }) {
      const spokeId = await resolveSpokeId(cli.api, name);
      await showPages(cli, options, (limit) => cli.api.listSpokeActivity({ spokeId, limit }), AUDIT_COLUMNS);
    },
  }),
  defineCommand({
    name: "addons",
    summary: "List the add-ons of a spoke: plugins that are not part of Moodle",
    words: ["SPOKE"],
    examples: ["spokes addons north/ash"],
    async run(cli, { words: [name] }) {
      const report = await cli.api.getSpokeAddons({ spokeId: await resolveSpokeId(cli.api, name) });
      if (cli.json) return showJson(cli, report);
      const { reportedAt, total, addons } = report;
      if (reportedAt === null) return printNote(cli, "The site has not listed its add-ons yet");
      showList(cli, addons, [
        ["COMPONENT", ({ component }) => component],
        ["VERSION", ({ version }) => version, "number"],
        ["ENABLED", ({ enabled }) => enabled ? "yes" : "no"],
        ["IN CATALOG", ({ listed }) => listed === null ? null : listed ? "yes" : "no"],
      ], ({ component }) => component);
      if (total !== null && total > addons.length) {
        printNote(cli, `${total - addons.length} more add-ons do not fit into the site's report`);
      }
    },
  }),
  defineCommand({
    name: "backups",
    summary: "List the backups of a spoke and their restore tests",
    words: ["SPOKE"],
    examples: ["spokes backups north/ash"],
    async run(cli, { words: [name] }) {
      const backups = await cli.api.getSpokeBackups({ spokeId: await resolveSpokeId(cli.api, name) });
      if (cli.json) return showJson(cli, backups);
      const { available, schedule, lastError, unverifiedSince, kept, snapshots } = backups;
      const summary = available
        ? `Backups are taken ${schedule}`
        : "The cluster of this spoke does not support backups";
      printNote(cli, summary);
      if (lastError) printNote(cli, `The last backup failed: ${lastError}`);
      if (unverifiedSince) printNote(cli, `The last restore test failed ${formatRelativeTime(unverifiedSince)}`);
      for (const { claim, until } of kept) {
        printNote(cli, `Volume ${claim}, which a restore replaced, is kept until ${until}`);
      }
      showList(cli, snapshots, [
        ["ID", (one) => one.id, "id"],
        ["STATE", (one) => one.state, "state"],
        ["CREATED", (one) => one.createdAt, "time"],
        ["VERSION", (one) => one.lmsVersion],
        ["MB", (one) => one.sizeBytes === null ? null : Math.round(one.sizeBytes / 1e6), "number"],
        ["VERIFIED", (one) => one.verifiedAt, "time"],
        ["TEST SECONDS", (one) => one.verification?.seconds, "number"],
        ["COURSES", (one) => one.verification?.courses, "number"],
        ["USERS", (one) => one.verification?.users, "number"],
        ["FILES", (one) => one.verification?.files, "number"],
        ["RESTORE TEST FAILED", (one) => one.verificationError],
      ]);
    },
  }),
  defineCommand({
    name: "members",
    summary: "List the admins of a spoke",
    words: ["SPOKE"],
    examples: ["spokes members north/ash"],
    async run(cli, { words: [name] }) {
      const members = await cli.api.listSpokeMembers({ spokeId: await resolveSpokeId(cli.api, name) });
      showList(cli, members, MEMBER_COLUMNS, (member) => member.userId);
    },
  }),
];
