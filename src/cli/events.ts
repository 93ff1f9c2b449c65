/** `wheelwright events follow`: prints the stream events of a hub as they happen. */
import type { StreamEvent } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { type Noun, verb } from "./verb-declaration.ts";
import { print, remark, showJsonLine } from "./output.ts";
import { MISUSED } from "./exit-status.ts";
import { toneOf } from "./terminal.ts";
import { plain } from "./text.ts";
import { clock } from "./times.ts";

export const eventsNoun: Noun = {
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
        throw new CommandError(MISUSED, "--since must be the number of an event");
      }
      const from = since === undefined ? {} : { since: Number(since) };
      const names = new Map<string, string>(), { paint, out } = cli.terminal;
      const nameOfSpoke = async (spokeId: string) => {
        const found = await cli.api.getSpoke({ spokeId, includeRemoved: true }).then(({ slug }) => slug, () => spokeId);
        names.set(spokeId, found);
        return found;
      };
      const events = cli.api.followFederation({ federationId: federationId!, ...from }, {
        onDisconnect: ({ error, attempts: tried }) => tried === 0 && remark(cli, `${error.message}; trying again`),
        onResume: () => remark(cli, "Connected again"),
      });
      for await (const event of events) {
        if (cli.json) showJsonLine(cli, event);
        else if (cli.quiet) print(`${plain(event.id)}\n`);
        else {
          const { spokeId } = event, about = spokeId ? names.get(spokeId) ?? await nameOfSpoke(spokeId) : federationId!;
          const at = out ? clock(event.at) : event.at, state = plain(event.state);
          const parts = [at, event.id.padStart(out ? 5 : 0), about, paint(toneOf(state), state), wordsFor(event)];
          print(`${parts.map((part, i) => i === 3 ? part : plain(part)).join(out ? "  " : "\t")}\n`);
        }
      }
    },
  })],
};

function wordsFor({ type, operation, error }: StreamEvent): string {
  if (type.startsWith("Stream")) return type === "StreamEnd" ? "the hub is removed" : "earlier events are kept no more";
  const step = operation ? `${operation.kind} ${operation.step}/${operation.of} ${operation.label}` : type;
  return error ? `${step}: ${error}` : step;
}
