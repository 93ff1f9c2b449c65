/**
 * Reads a file that somebody wrote for the program: text, of a size that a person writes.
 *
 * What is no regular file is refused before it is opened: a pipe would keep the start waiting for ever.
 */
import { readFile, stat } from "node:fs/promises";
import { reasonOf } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";

const MOST_BYTES = 2 ** 20; // as much as a ConfigMap holds

/** Its lines end as Unix's do. Throws an Error whose message begins with the path. */
export async function readTextFile(path: string): Promise<string> {
  try {
    const found = await stat(path); // of what a link leads to: a mounted ConfigMap is made of links
    if (found.isDirectory()) throw new Error("it is a directory");
    if (!found.isFile()) throw new Error("it is no file");
    if (found.size > MOST_BYTES) throw new Error(`it has ${found.size} bytes, and at most ${MOST_BYTES} are read`);
    return decodeUtf8(await readFile(path)).replaceAll("\r\n", "\n");
  } catch (error) {
    throw new Error(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
