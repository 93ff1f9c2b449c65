/**
 * Keeping the cluster's state in a file: written whole and by rename, at most once a second while things change, and
 * at the end. A file that cannot be read stops the start: it is better to say so than to lose somebody's spokes.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { messageOf } from "#lib/errors.ts";
import { SECOND } from "#lib/time.ts";
import type { World } from "#lib/simulator/world.ts";

export interface Keeper {
  close(): Promise<void>;
}

const FORMAT = 1;

export async function openKeeper(world: World, path: string | undefined): Promise<Keeper> {
  if (path === undefined) return { close: () => Promise.resolve() };
  await load(world, path);
  let writing: Promise<void> | null = null;
  let dirty = false;
  const write = async (): Promise<void> => {
    dirty = false;
    await writeFile(`${path}.tmp`, render(world), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  };
  const run = (): void => {
    writing = write()
      .catch((error) => world.log.error("Cannot keep the simulated cluster's state", { path, error }))
      .then(() => {
        writing = null;
        if (dirty) plan();
      });
  };
  let planned = false;
  const plan = (): void => {
    dirty = true;
    if (planned || writing) return;
    planned = true;
    world.timers.after(SECOND, () => {
      planned = false;
      run();
    });
  };
  const stop = world.store.subscribe(plan);
  return {
    async close() {
      stop();
      dirty = false;
      await writing;
      await write();
    },
  };
}

function render(world: World): string {
  const objects = world.store.everything().map(({ object }) => object);
  const { store, volumes, logs } = world;
  return JSON.stringify({
    format: FORMAT,
    version: store.version(),
    objects,
    volumes: volumes.entries(),
    logs: logs.entries(),
  });
}

async function load(world: World, path: string): Promise<void> {
  const text = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw new Error(`Cannot read the simulated cluster's state in ${path}: ${messageOf(error)}`, { cause: error });
  });
  if (text === null) return;
  try {
    const kept = JSON.parse(text);
    if (kept.format !== FORMAT) throw new Error(`its format is ${kept.format}, this program knows ${FORMAT}`);
    const entries = kept.objects.flatMap((object: { apiVersion: string; kind: string }) => {
      const kind = world.kinds.of(object.apiVersion, object.kind);
      return kind ? [{ kind, object }] : [];
    });
    world.store.restore(entries, kept.version);
    world.volumes.restore(kept.volumes);
    world.logs.restore(kept.logs);
  } catch (error) {
    throw new Error(
      `Cannot use the simulated cluster's state in ${path}: ${messageOf(error)}; move it away to start anew`,
      {
        cause: error,
      },
    );
  }
}
