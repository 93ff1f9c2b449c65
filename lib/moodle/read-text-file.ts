/** Reads a configuration file of limited size. Rejects pipes and other special files: reading them could block. */
import { readFile, stat } from "node:fs/promises";
import { getErrorReason } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";

const MAX_BYTES = 2 ** 20; // the size limit of a ConfigMap

/** Returns the file's text with Unix line endings. Throws an Error whose message begins with the path. */
export async function readTextFile(path: string): Promise<string> {
  try {
    const file = await stat(path); // follows symbolic links, which a mounted ConfigMap contains
    if (file.isDirectory()) throw new Error("it is a directory");
    if (!file.isFile()) throw new Error("it is not a regular file");
    if (file.size > MAX_BYTES) throw new Error(`it has ${file.size} bytes; the maximum is ${MAX_BYTES}`);
    return decodeUtf8(await readFile(path)).replaceAll("\r\n", "\n");
  } catch (error) {
    throw new Error(`${path} cannot be read: ${getErrorReason(error)}`, { cause: error });
  }
}
