/** Reports the files of the repository that change, for `npm test -- --watch`. */
import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { join, sep } from "node:path";

const FOLDERS = ["lib", "src", "routes", "test", "sql", "docs", "deploy"];
const FILES = ["package.json", "README.md", "SECURITY.md", "CHANGELOG.md"];
/** Editors write temporary files next to the edited one, and tests write into node_modules. */
const IGNORED = /(?:^|\/)(?:\.[^/]*|[^/]*~|node_modules\/.*)$/;
const QUIET = 150; // milliseconds without a change after which all files are saved

export interface FileWatcher {
  /** Waits for changes until they pause, and returns the changed files, relative to the root. */
  next(): Promise<string[]>;
  close(): void;
}

export function watchFiles(root: string): FileWatcher {
  const changed = new Set<string>();
  let notify = () => {}, timer: ReturnType<typeof setTimeout> | undefined;
  const add = (path: string) => {
    if (IGNORED.test(path)) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => notify(), QUIET);
  };
  const watchers: FSWatcher[] = [
    ...FOLDERS.map((folder) =>
      watch(join(root, folder), { recursive: true }, (_, name) => {
        if (name) add(`${folder}/${name.replaceAll(sep, "/")}`);
      })
    ),
    ...FILES.map((name) => watch(join(root, name), () => add(name))),
  ];
  return {
    async next() {
      for (;;) {
        if (changed.size === 0) await new Promise<void>((resolve) => notify = resolve);
        const paths = [...changed];
        changed.clear();
        const folders = await Promise.all(paths.map((path) => isDirectory(join(root, path))));
        const files = paths.filter((_, i) => !folders[i]);
        if (files.length > 0) return files;
      }
    },
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** A deleted file is no directory. */
async function isDirectory(path: string): Promise<boolean> {
  return await stat(path).then((found) => found.isDirectory(), () => false);
}
