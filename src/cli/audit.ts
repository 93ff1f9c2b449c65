/** Implements `wheelwright audit list` and `audit export`, which read the audit log through the API. */
import type { AuditEvent, Wheelwright } from "#lib/client/client.ts";
import { defineCommand, type OptionValues } from "./command.ts";
import { showJsonLine } from "./output.ts";
import { PAGE_OPTIONS, showPages } from "./pagination.ts";
import type { TableColumn } from "./table.ts";

export const AUDIT_COLUMNS: readonly TableColumn<AuditEvent>[] = [
  ["WHEN", (event) => event.at, "time"],
  ["EVENT", (event) => event.kind, "id"],
  ["SPOKE", ({ metadata: { slug } }) => typeof slug === "string" ? slug : ""],
  ["USER", (event) => event.actor.email],
  ["DETAILS", (event) => describeMetadata(event.metadata)],
  ["OBJECT", (event) => event.objectId, "id"],
  ["ID", (event) => event.id, "id"],
];

function describeMetadata({ slug: _, ...metadata }: AuditEvent["metadata"]): string {
  const simple = Object.entries(metadata).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return simple.map(([name, value]) => `${name} ${value}`).join(", ");
}

const FILTERS = {
  kind: { type: "string", help: "only events of this kind" },
  actor: { type: "string", value: "USER", help: "only events by this user: an ID or an email address" },
  hub: { type: "string", help: "only events of this hub" },
  "object-type": { type: "string", value: "TYPE", help: "only events about this kind of object" },
  object: { type: "string", value: "ID", help: "only events about this object" },
  before: { type: "string", value: "TIME", help: "only events before this time" },
} as const;

export const auditCommands = [
  defineCommand({
    name: "list",
    summary: "List audit events, newest first",
    options: { ...FILTERS, ...PAGE_OPTIONS },
    examples: ["audit list --kind spoke_destroyed", "audit list --actor ada@school.example --limit 5"],
    run: (cli, { options }) =>
      showPages(cli, options, (limit) => cli.api.listAuditEvents({ ...toApiFilters(options), limit }), AUDIT_COLUMNS),
  }),
  defineCommand({
    name: "export",
    summary: "Print all audit events as JSON Lines, newest first",
    options: FILTERS,
    examples: ["audit export > audit.jsonl", "audit export --hub north --json=at,kind,actor.email"],
    async run(cli, { options }) {
      for await (const event of cli.api.listAuditEvents(toApiFilters(options))) {
        showJsonLine(cli, event);
        // Waits until the reader catches up, because an audit log may not fit into memory.
        if (process.stdout.writableNeedDrain) {
          await new Promise<void>((resolve) => process.stdout.once("drain", () => resolve()));
        }
      }
    },
  }),
];

/** Converts options to API filters. The server rejects unknown kinds of events and lists the known ones. */
function toApiFilters(
  options: OptionValues<typeof FILTERS>,
): NonNullable<Parameters<Wheelwright["listAuditEvents"]>[0]> {
  const { kind, actor, hub: federationId, "object-type": objectType, object: objectId, before } = options;
  return { kind, actor, federationId, objectType, objectId, before } as ReturnType<typeof toApiFilters>;
}
