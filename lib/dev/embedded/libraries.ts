/**
 * Creates the symbolic links of PostgreSQL's libraries, such as `libpq.so.5`. A package of npm cannot contain links; that
 * of PostgreSQL lists them in a file for its install script, which is not run here.
 */
import { readFile, stat, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { nullWhenGone } from "#lib/dev/embedded/postmaster.ts";

interface LibraryLink {
  /** The file, relative to the package. */
  readonly source: string;
  /** The link, relative to the package. */
  readonly target: string;
}

/** Creates those that are missing. Throws if one is missing and the directory cannot be written. */
export async function linkLibraries(packageDirectory: string): Promise<void> {
  const list = await readFile(join(packageDirectory, "native/pg-symlinks.json"), "utf8").catch(nullWhenGone);
  const links: LibraryLink[] = JSON.parse(list ?? "[]");
  for (const { source, target } of links) {
    const link = join(packageDirectory, target);
    if (await stat(link).catch(nullWhenGone)) continue;
    await symlink(relative(dirname(target), source), link).catch((cause) => {
      if (cause.code === "EEXIST") return; // another start created it at the same moment
      throw new Error(`cannot create ${link}: start once as the user that ran npm ci`, { cause });
    });
  }
}
