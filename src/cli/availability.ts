/** Implements `wheelwright availability`: shows the availability of a spoke, or of all spokes of a hub. */
import { type Availability, type SpokeAvailability, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { defineCommand } from "./command.ts";
import { requireSpoke, resolveSpokeId } from "./find-spoke.ts";
import { printNote, showJson, showList } from "./output.ts";

export const availabilityCommand = defineCommand({
  words: ["NAME"],
  usage: ["SPOKE", "HUB"],
  more: "Shows minutes per month (UTC). A name without a slash is the name of a hub, if such a hub exists.",
  examples: ["availability north/oak", "availability north"],
  async run(cli, { words: [name] }) {
    const availability = await readAvailability(cli.api, name);
    if (cli.json) return showJson(cli, availability);
    showList(cli, availability.months, [
      ["MONTH", ({ month }) => month],
      ["AVAILABILITY", (month) => month.availability === null ? null : `${month.availability.toFixed(3)}%`, "number"],
      ["UP", ({ up }) => up, "number"],
      ["DOWN", ({ down }) => down, "number"],
      ["PLANNED", ({ planned }) => planned, "number"],
      ["UNKNOWN", ({ unknown }) => unknown, "number"],
    ], ({ month }) => month);
    const ends = "certificateEndsAt" in availability ? availability.certificateEndsAt : null;
    if (ends && !cli.quiet) printNote(cli, `The certificate ends on ${ends.slice(0, 10)}`);
  },
});

async function readAvailability(api: Wheelwright, name: string): Promise<Availability | SpokeAvailability> {
  if (/[/.]/.test(name) || name.startsWith("spk_")) {
    return await api.getSpokeAvailability({ spokeId: await resolveSpokeId(api, name) });
  }
  try {
    return await api.getFederationAvailability({ federationId: name });
  } catch (error) {
    if (!(error instanceof WheelwrightError) || error.statusCode !== 404 || name.startsWith("fed_")) throw error;
    return await api.getSpokeAvailability({ spokeId: (await requireSpoke(api, name)).id });
  }
}
