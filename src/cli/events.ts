/** `wheelwright events follow`: prints the stream events of a hub as they happen. */
import type { StreamEvent } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { type CliNoun, verb } from "./verb-declaration.ts";
import { print, printNote, showJsonLine } from "./output.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import { styleOfState } from "./terminal.ts";
import { sanitizeLine } from "./text.ts";
import { clockTimeOrDate } from "./times.ts";

export const eventsNoun: CliNoun = {
  name: "events",
  summary: "Events: what happens in a hub, as it happens",
  verbs: [verb({
    name: "follow",
    summary: "Print a hub's events until it is removed, or Ctrl-C; a connection that is cut is taken up where it was",
    words: ["HUB"],
    flags: { since: { type: "string", value: "NUMBER", help: "from the event after this one; else from what is now" } },
    more: "--json prints an event a line (JSON Lines).",
    examples: ["events follow north", "events follow north --json | grep SpokeUpdateFailed"],
    async run(cli, { words: [federationId], flags: { since } }) {
      if (since !== undefined && !/^\d{1,15}$/.test(since)) {
        throw new CommandError(EXIT_USAGE, "--since must be the number of an event");
      }
      const from = since === undefined ? {} : { since: Number(since) };
      const names = new Map<string, string>(), { paint, out } = cli.terminal;
      const nameOfSpoke = async (spokeId: string) => {
        const found = await cli.api.getSpoke({ spokeId, includeRemoved: true }).then(({ slug }) => slug, () => spokeId);
        names.set(spokeId, found);
        return found;
      };
      const events = cli.api.followFederation({ federationId: federationId!, ...from }, {
        onDisconnect: ({ error, attempts: tried }) => tried === 0 && printNote(cli, `${error.message}; trying again`),
        onResume: () => printNote(cli, "Connected again"),
      });
      for await (const event of events) {
        if (cli.json) showJsonLine(cli, event);
        else if (cli.quiet) print(`${sanitizeLine(event.id)}\n`);
        else {
          const { spokeId } = event, about = spokeId ? names.get(spokeId) ?? await nameOfSpoke(spokeId) : federationId!;
          const at = out ? clockTimeOrDate(event.at) : event.at, state = sanitizeLine(event.state);
          const parts = [
            at,
            event.id.padStart(out ? 5 : 0),
            about,
            paint(styleOfState(state), state),
            describeEvent(event),
          ];
          print(`${parts.map((part, i) => i === 3 ? part : sanitizeLine(part)).join(out ? "  " : "\t")}\n`);
        }
      }
    },
  })],
};

function describeEvent({ type, operation, error }: StreamEvent): string {
  if (type.startsWith("Stream")) return type === "StreamEnd" ? "the hub is removed" : "earlier events are kept no more";
  const step = operation ? `${operation.kind} ${operation.step}/${operation.of} ${operation.label}` : type;
  return error ? `${step}: ${error}` : step;
}
