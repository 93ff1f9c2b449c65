/** Implements `wheelwright audit list` and `audit export`, which read the audit log through the API. */
import type { Wheelwright } from "#lib/client/client.ts";
import { AUDIT_COLUMNS } from "./audit-views.ts";
import { ALL_FLAG, computePageSize, LIMIT_FLAG, readListItems } from "./pagination.ts";
import { type CommandGroup, defineVerb } from "./verb-declaration.ts";
import { showJsonLine, showList } from "./output.ts";

const FILTERS = {
  kind: { type: "string", help: "only events of this kind" },
  actor: { type: "string", value: "USER", help: "only events by this user: an ID or an email address" },
  hub: { type: "string", help: "only events of this hub" },
  "object-type": { type: "string", value: "TYPE", help: "only events about this kind of object" },
  object: { type: "string", value: "ID", help: "only events about this object" },
  before: { type: "string", value: "TIME", help: "only events before this time" },
} as const;

interface Filters {
  readonly kind?: string;
  readonly actor?: string;
  readonly hub?: string;
  readonly "object-type"?: string;
  readonly object?: string;
  readonly before?: string;
}

export const auditCommands: CommandGroup = {
  name: "audit",
  summary: "The audit log of a server (operators only)",
  localVerbs: [
    ["heads", "Show the newest hash of each chain in the audit log; reads this machine's database"],
    ["verify", "Verify that no audit event was changed or removed; reads this machine's database"],
  ],
  verbs: [
    defineVerb({
      name: "list",
      summary: "List audit events, newest first",
      flags: { ...FILTERS, limit: LIMIT_FLAG, all: ALL_FLAG },
      examples: ["audit list --kind spoke_destroyed", "audit list --actor ada@school.example --limit 5"],
      async run(cli, { flags }) {
        const narrow = { ...toApiFilters(flags), limit: computePageSize(flags) };
        showList(cli, await readListItems(cli.api.listAuditEvents(narrow), flags), AUDIT_COLUMNS);
      },
    }),
    defineVerb({
      name: "export",
      summary: "Print all audit events as JSON Lines, newest first",
      flags: FILTERS,
      examples: ["audit export > audit.jsonl", "audit export --hub north --json=at,kind,actor.email"],
      async run(cli, { flags }) {
        for await (const event of cli.api.listAuditEvents(toApiFilters(flags))) {
          await writeAndDrain(() => showJsonLine(cli, event));
        }
      },
    }),
  ],
};

/** Converts command-line flags to API filters. The server rejects unknown kinds of events and lists the known ones. */
function toApiFilters(flags: Filters): NonNullable<Parameters<Wheelwright["listAuditEvents"]>[0]> {
  const { kind, actor, hub: federationId, "object-type": objectType, object: objectId, before } = flags;
  return { kind, actor, federationId, objectType, objectId, before } as ReturnType<typeof toApiFilters>;
}

/** Writes to standard output and waits until the reader catches up, because an audit log may not fit into memory. */
async function writeAndDrain(write: () => void): Promise<void> {
  write();
  if (process.stdout.writableNeedDrain) {
    await new Promise<void>((resolve) => process.stdout.once("drain", () => resolve()));
  }
}
