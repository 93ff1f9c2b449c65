/**
 * Creates symbolic links to PostgreSQL's libraries, such as `libpq.so.5`. npm packages cannot contain symbolic links,
 * so the PostgreSQL package lists its links in a file for an install script, which Wheelwright does not run.
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

/** Creates the missing symbolic links. Throws if a link is missing but the package directory is read-only. */
export async function linkPostgresLibraries(packageDirectory: string): Promise<void> {
  const list = await readFile(join(packageDirectory, "native/pg-symlinks.json"), "utf8").catch(nullIfFileMissing);
  const links: LibraryLink[] = JSON.parse(list ?? "[]");
  for (const { source, target } of links) {
    const link = join(packageDirectory, target);
    if (await stat(link).catch(nullIfFileMissing)) continue;
    await symlink(relative(dirname(target), source), link).catch((cause) => {
      if (cause.code === "EEXIST") return; // another process created the link at the same time
      throw new Error(`cannot create ${link}; start Wheelwright once as the user who ran npm ci`, { cause });
    });
  }
}
