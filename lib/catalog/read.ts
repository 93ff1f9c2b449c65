/** Reads the CATALOG file from where the configuration says it is. */
import { readTextFile } from "#lib/moodle/text-file.ts";
import { ConfigError } from "#lib/base/config.ts";
import { messageOf } from "#lib/base/errors.ts";

/** Its text, or undefined where there is to be none. Throws ConfigError with the path and why it cannot be read. */
export async function readCatalog(path: string | null): Promise<string | undefined> {
  if (path === null) return undefined;
  try {
    return await readTextFile(path);
  } catch (error) {
    throw new ConfigError([`CATALOG: ${messageOf(error)}`]);
  }
}
