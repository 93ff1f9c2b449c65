/**
 * Creates symbolic links to PostgreSQL's libraries, such as `libpq.so.5`. An npm package cannot contain links, so the
 * PostgreSQL package lists them in a file for its install script, which we do not run.
 */
import { readFile, stat, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { nullIfFileMissing } from "#lib/dev/embedded/postmaster.ts";

interface LibraryLink {
  /** The path of the library file, relative to the package directory. */
  readonly source: string;
  /** The path of the symbolic link, relative to the package directory. */
  readonly target: string;
}

/** Creates any missing links. Throws if a link is missing and the package directory is read-only. */
export async function linkLibraries(packageDirectory: string): Promise<void> {
  const list = await readFile(join(packageDirectory, "native/pg-symlinks.json"), "utf8").catch(nullIfFileMissing);
  const links: LibraryLink[] = JSON.parse(list ?? "[]");
  for (const { source, target } of links) {
    const link = join(packageDirectory, target);
    if (await stat(link).catch(nullIfFileMissing)) continue;
    await symlink(relative(dirname(target), source), link).catch((cause) => {
      if (cause.code === "EEXIST") return; // another process created it at the same time
      throw new Error(`cannot create ${link}: start once as the user that ran npm ci`, { cause });
    });
  }
}
