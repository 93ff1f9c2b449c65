/** Reads lists of spokes to create, from a file or standard input: YAML or JSON, with the fields of the API. */
import { readFile } from "node:fs/promises";
import { reasonOf } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import type { NewSpoke } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { readInput } from "./prompt.ts";
import { FAILED, MISUSED } from "./exit-status.ts";

export interface Wanted {
  readonly hub: string;
  readonly body: NewSpoke;
}

/**
 * Reads the spokes in a file; `-` is standard input. Throws a CommandError if the file cannot be parsed, or if an entry
 * has no hub or slug. The server validates the other fields.
 */
export async function readWanted(file: string, hub: string | undefined): Promise<Wanted[]> {
  const name = file === "-" ? "standard input" : file;
  const text = file === "-" ? await readInput() : await readFile(file).then(decodeUtf8).catch((cause) => {
    throw new CommandError(FAILED, `Cannot read ${file}: ${reasonOf(cause)}`, { cause });
  });
  const { parse } = await import("yaml");
  let found: unknown;
  try {
    found = parse(text);
  } catch (cause) {
    throw new CommandError(
      MISUSED,
      `${name} is neither YAML nor JSON: ${String((cause as Error).message).split("\n")[0]}`,
      { cause },
    );
  }
  const list = Array.isArray(found) ? found : (found as { spokes?: unknown } | null)?.spokes;
  if (!Array.isArray(list)) {
    throw new CommandError(MISUSED, `${name} must be a list of spokes, or have one under spokes`);
  }
  return list.map((entry: unknown, i) => wantedIn(entry, hub, `Entry ${i + 1} of ${name}`));
}

function wantedIn(entry: unknown, usual: string | undefined, where: string): Wanted {
  if (typeof entry !== "object" || entry === null) {
    throw new CommandError(MISUSED, `${where} must be a spoke, as {hub: north, slug: ash}`);
  }
  const { hub: named, federationId, ...body } = entry as Record<string, unknown>, hub = named ?? federationId ?? usual;
  if (typeof body["slug"] !== "string") {
    throw new CommandError(MISUSED, `${where} needs a slug, as {hub: north, slug: ash}`);
  }
  if (typeof hub !== "string") {
    throw new CommandError(MISUSED, `${where} needs its hub, as {hub: north, slug: ash}, or give --hub`);
  }
  return { hub, body: body as unknown as NewSpoke };
}
