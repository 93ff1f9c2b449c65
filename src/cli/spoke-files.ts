/** Reads a list of spokes to create, from a YAML or JSON file or from standard input, with the API's field names. */
import { readFile } from "node:fs/promises";
import { getErrorReason } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import type { NewSpoke } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { readStandardInput } from "./prompt.ts";
import { EXIT_FAILED, EXIT_USAGE } from "./exit-status.ts";

export interface SpokeRequest {
  readonly hub: string;
  readonly body: NewSpoke;
}

/**
 * Reads the spokes listed in a file, or in standard input for `-`. Throws a CommandError if the file cannot be parsed,
 * or if an entry has no hub or slug. The server validates the other fields.
 */
export async function readSpokeFile(file: string, hub: string | undefined): Promise<SpokeRequest[]> {
  const name = file === "-" ? "standard input" : file;
  const text = file === "-" ? await readStandardInput() : await readFile(file).then(decodeUtf8).catch((cause) => {
    throw new CommandError(EXIT_FAILED, `Cannot read ${file}: ${getErrorReason(cause)}`, { cause });
  });
  const { parse } = await import("yaml");
  let found: unknown;
  try {
    found = parse(text);
  } catch (cause) {
    throw new CommandError(
      EXIT_USAGE,
      `${name} is neither YAML nor JSON: ${String((cause as Error).message).split("\n")[0]}`,
      { cause },
    );
  }
  const list = Array.isArray(found) ? found : (found as { spokes?: unknown } | null)?.spokes;
  if (!Array.isArray(list)) {
    throw new CommandError(EXIT_USAGE, `${name} must contain a list of spokes, at the top level or under "spokes"`);
  }
  return list.map((entry: unknown, i) => parseEntry(entry, hub, `Entry ${i + 1} of ${name}`));
}

function parseEntry(entry: unknown, defaultHub: string | undefined, where: string): SpokeRequest {
  if (typeof entry !== "object" || entry === null) {
    throw new CommandError(EXIT_USAGE, `${where} must be a spoke, for example {hub: north, slug: ash}`);
  }
  const { hub: named, federationId, ...body } = entry as Record<string, unknown>,
    hub = named ?? federationId ?? defaultHub;
  if (typeof body["slug"] !== "string") {
    throw new CommandError(EXIT_USAGE, `${where} needs a slug, for example {hub: north, slug: ash}`);
  }
  if (typeof hub !== "string") {
    throw new CommandError(EXIT_USAGE, `${where} needs a hub, for example {hub: north, slug: ash}. Or use --hub`);
  }
  return { hub, body: body as unknown as NewSpoke };
}
