/**
 * Stores the cluster's state in a file. The complete file is written and renamed at most once a second while objects
 * change, and at the end. A journal records the changes in between (journal.ts).
 *
 * If the file cannot be read, the simulator does not start, so existing spokes are not lost. If the file cannot be
 * written, for example because the disk is full, the simulator continues in memory. It logs one error and retries until
 * a write succeeds.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { reasonOf, StartError } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";
import { openJournal, readJournals } from "#lib/dev/simulator/store/journal.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export interface Keeper {
  close(): Promise<void>;
}

const FORMAT = 1;
const IN_VAIN =
  "The simulated cluster's state cannot be kept: what changes now is lost if the process ends before it can";

export async function openKeeper(world: World, path: string | undefined): Promise<Keeper> {
  if (path === undefined) return { close: () => Promise.resolve() };
  const journal = await openJournal(path, await load(world, path));
  let writing: Promise<void> | null = null;
  let planned: (() => void) | null = null;
  let failing = false;

  async function write(): Promise<void> {
    const forget = journal.turn();
    try {
      await writeFile(`${path}.tmp`, render(world, journal.last()), { mode: 0o600 });
      await rename(`${path}.tmp`, path!);
    } catch (error) {
      await rm(`${path}.tmp`, { force: true }).catch(() => {}); // it may use the last free disk space
      throw error;
    }
    if (failing) world.log.info("The simulated cluster's state is kept again", { path });
    failing = false;
    await forget();
  }

  function complain(error: unknown): void {
    if (!failing) world.log.error(IN_VAIN, { path, reason: reasonOf(error) });
    failing = true;
  }

  function plan(): void {
    planned ??= world.timers.after(SECOND, () => {
      writing = write().catch(complain).finally(() => {
        planned = null;
        if (failing) plan();
      });
    });
  }

  const stop = follow(world, (entry) => {
    try {
      journal.write(entry);
    } catch (error) {
      complain(error);
    }
    plan();
  });
  return {
    async close() {
      stop();
      planned?.();
      await writing;
      await write().then(() => journal.turn()()).catch(complain);
      journal.close();
    },
  };
}

/** Passes each change of an object, a volume or a log to `note`. Returns a function that unsubscribes. */
function follow({ store, volumes, logs }: World, note: (entry: Json) => void): () => void {
  const stops = [
    store.subscribe(({ type, object, version }) => note({ type, object, version })),
    volumes.subscribe((handle, data) => note({ volume: handle, data })),
    logs.subscribe((pod, container, log) => note({ pod, container, log })),
  ];
  return () => stops.forEach((stop) => stop());
}

function render(world: World, journal: number): string {
  const { store, volumes, logs } = world;
  return JSON.stringify({
    format: FORMAT,
    journal,
    version: store.version(),
    objects: store.everything(),
    volumes: volumes.entries(),
    logs: logs.entries(),
  });
}

interface Kept {
  version: number;
  readonly objects: Map<string, Json>;
  readonly volumes: Map<string, Json>;
  readonly logs: Map<string, Map<string, Json>>;
}

/** Loads the state and the journals. Returns the number of the last journal line. */
async function load(world: World, path: string): Promise<number> {
  try {
    const state = await read(path);
    const kept: Kept = {
      version: state.version,
      objects: new Map(state.objects.map((object: Json) => [keyOf(object), object])),
      volumes: new Map(state.volumes),
      logs: new Map(state.logs.map(([pod, own]: [string, [string, Json][]]) => [pod, new Map(own)])),
    };
    const lines = await readJournals(path, state.journal);
    for (const { entry } of lines) replay(kept, entry);
    restore(world, kept);
    return lines.at(-1)?.number ?? state.journal;
  } catch (cause) {
    const message = `Cannot use the simulated cluster's state in ${path}: ${whyUnreadable(cause)}`;
    throw new StartError(`${message}; move that file away to start with an empty cluster`, { cause });
  }
}

function whyUnreadable(cause: unknown): string {
  return cause instanceof SyntaxError || cause instanceof TypeError ? "it is damaged" : reasonOf(cause);
}

async function read(path: string): Promise<Json> {
  const text = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return { journal: 0, version: 0, objects: [], volumes: [], logs: [] };
  const state = JSON.parse(text);
  if (state.format !== FORMAT) throw new Error(`its format is ${state.format}, this program knows ${FORMAT}`);
  return state;
}

function replay(kept: Kept, entry: Json): void {
  if (entry.object) {
    kept.version = entry.version;
    if (entry.type === "DELETED") kept.objects.delete(keyOf(entry.object));
    else kept.objects.set(keyOf(entry.object), entry.object);
  } else if (entry.volume !== undefined) {
    if (entry.data === null) kept.volumes.delete(entry.volume);
    else kept.volumes.set(entry.volume, entry.data);
  } else if (entry.log === null) {
    kept.logs.delete(entry.pod);
  } else {
    const own = kept.logs.get(entry.pod) ?? new Map<string, Json>();
    kept.logs.set(entry.pod, own.set(entry.container, entry.log));
  }
}

function restore(world: World, { version, objects, volumes, logs }: Kept): void {
  world.store.restore([...objects.values()].filter((object) => world.kinds.of(object)), version);
  world.volumes.restore([...volumes]);
  world.logs.restore([...logs].map(([pod, own]) => [pod, [...own]]));
}

function keyOf({ apiVersion, kind, metadata }: Json): string {
  return [apiVersion, kind, metadata.namespace ?? "", metadata.name].join("/");
}
