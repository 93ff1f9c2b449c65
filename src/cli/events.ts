/** Implements `wheelwright events follow`, which prints a hub's stream events as they happen. */
import type { StreamEvent } from "#lib/client/client.ts";
import { defineCommand } from "./command.ts";
import { print, printNote, showJsonLine } from "./output.ts";
import { findStateStyle } from "./terminal.ts";
import { sanitizeLine } from "./text.ts";
import { formatTimeOrDate } from "./times.ts";
import { UsageError } from "./exit-status.ts";

export const eventsCommands = [
  defineCommand({
    name: "follow",
    summary: "Print a hub's events until the hub is removed or you press Ctrl-C. Reconnects without losing events",
    words: ["HUB"],
    options: {
      since: {
        type: "string",
        value: "NUMBER",
        help: "start after the event with this number (default: start with new events)",
      },
    },
    more: "--json prints one event per line (JSON Lines).",
    examples: ["events follow north", "events follow north --json | grep SpokeUpdateFailed"],
    async run(cli, { words: [federationId], options: { since } }) {
      if (since !== undefined && !/^\d{1,15}$/.test(since)) {
        throw new UsageError("--since must be an event number");
      }
      const from = since === undefined ? {} : { since: Number(since) };
      const names = new Map<string, string>(), { paint, out } = cli.terminal;
      const nameOfSpoke = async (spokeId: string) => {
        const found = await cli.api.getSpoke({ spokeId, includeRemoved: true }).then(({ slug }) => slug, () => spokeId);
        names.set(spokeId, found);
        return found;
      };
      const events = cli.api.followFederation({ federationId: federationId, ...from }, {
        onDisconnect: ({ error, attempts: tried }) => tried === 0 && printNote(cli, `${error.message}. Reconnecting …`),
        onResume: () => printNote(cli, "Reconnected"),
      });
      for await (const event of events) {
        if (cli.json) showJsonLine(cli, event);
        else if (cli.quiet) print(`${sanitizeLine(event.id)}\n`);
        else {
          const { spokeId } = event, about = spokeId ? names.get(spokeId) ?? await nameOfSpoke(spokeId) : federationId;
          const at = out ? formatTimeOrDate(event.at) : event.at, state = sanitizeLine(event.state);
          const parts = [
            at,
            event.id.padStart(out ? 5 : 0),
            about,
            paint(findStateStyle(state), state),
            describeEvent(event),
          ];
          print(`${parts.map((part, i) => i === 3 ? part : sanitizeLine(part)).join(out ? "  " : "\t")}\n`);
        }
      }
    },
  }),
];

function describeEvent({ type, operation, error }: StreamEvent): string {
  if (type.startsWith("Stream")) {
    return type === "StreamEnd" ? "the hub was removed" : "earlier events are no longer available";
  }
  const step = operation ? `${operation.kind} ${operation.step}/${operation.of} ${operation.label}` : type;
  return error ? `${step}: ${error}` : step;
}
