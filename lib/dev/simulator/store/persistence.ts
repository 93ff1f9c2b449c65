/**
 * Saves the simulated cluster's state to a file, at most once per second. A journal records the changes between saves.
 * If the state file is unreadable, the simulator refuses to start, so that no simulated site is lost. If a save fails,
 * the simulator retries and logs an error only for the first failure.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { getErrorReason, StartError } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";
import { openStateJournal, readStateJournals } from "#lib/dev/simulator/store/journal.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export interface StatePersistence {
  close(): Promise<void>;
}

const FORMAT = 1;
const SAVE_FAILED =
  "Cannot save the simulated cluster's state. Changes are lost if the process ends before a save succeeds";

export async function openStatePersistence(
  world: SimulatorContext,
  path: string | undefined,
): Promise<StatePersistence> {
  if (path === undefined) return { close: () => Promise.resolve() };
  const journal = await openStateJournal(path, await load(world, path));
  let writing: Promise<void> | null = null;
  let planned: (() => void) | null = null;
  let failing = false;

  async function write(): Promise<void> {
    const forget = journal.startNext();
    try {
      await writeFile(`${path}.tmp`, render(world, journal.last()), { mode: 0o600 });
      await rename(`${path}.tmp`, path!);
    } catch (error) {
      await rm(`${path}.tmp`, { force: true }).catch(() => {}); // the incomplete file may use the last free disk space
      throw error;
    }
    if (failing) world.log.info("Saving the simulated cluster's state works again", { path });
    failing = false;
    await forget();
  }

  function reportFailure(error: unknown): void {
    if (!failing) world.log.error(SAVE_FAILED, { path, reason: getErrorReason(error) });
    failing = true;
  }

  function plan(): void {
    planned ??= world.timers.after(SECOND, () => {
      writing = write().catch(reportFailure).finally(() => {
        planned = null;
        if (failing) plan();
      });
    });
  }

  const stop = follow(world, (entry) => {
    try {
      journal.write(entry);
    } catch (error) {
      reportFailure(error);
    }
    plan();
  });
  return {
    async close() {
      stop();
      planned?.();
      await writing;
      await write().then(() => journal.startNext()()).catch(reportFailure);
      journal.close();
    },
  };
}

/** Calls `note` for each change to an object, a volume or a log. Returns a function that unsubscribes. */
function follow({ store, volumes, logs }: SimulatorContext, note: (entry: Json) => void): () => void {
  const stops = [
    store.subscribe(({ type, object, version }) => note({ type, object, version })),
    volumes.subscribe((handle, data) => note({ volume: handle, data })),
    logs.subscribe((pod, container, log) => note({ pod, container, log })),
  ];
  return () => stops.forEach((stop) => stop());
}

function render(world: SimulatorContext, journal: number): string {
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

interface LoadedState {
  version: number;
  readonly objects: Map<string, Json>;
  readonly volumes: Map<string, Json>;
  readonly logs: Map<string, Map<string, Json>>;
}

/** Restores the cluster from the state file and the journal files. Returns the number of the last journal line. */
async function load(world: SimulatorContext, path: string): Promise<number> {
  try {
    const state = await read(path);
    const loaded: LoadedState = {
      version: state.version,
      objects: new Map(state.objects.map((object: Json) => [keyOf(object), object])),
      volumes: new Map(state.volumes),
      logs: new Map(state.logs.map(([pod, own]: [string, [string, Json][]]) => [pod, new Map(own)])),
    };
    const lines = await readStateJournals(path, state.journal);
    for (const { entry } of lines) replay(loaded, entry);
    restore(world, loaded);
    return lines.at(-1)?.number ?? state.journal;
  } catch (cause) {
    const message = `Cannot load the simulated cluster's state from ${path}: ${whyUnreadable(cause)}`;
    throw new StartError(`${message}; to start with an empty cluster, move this file to another folder`, { cause });
  }
}

function whyUnreadable(cause: unknown): string {
  return cause instanceof SyntaxError || cause instanceof TypeError ? "the file is damaged" : getErrorReason(cause);
}

async function read(path: string): Promise<Json> {
  const text = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return { journal: 0, version: 0, objects: [], volumes: [], logs: [] };
  const state = JSON.parse(text);
  if (state.format !== FORMAT) {
    throw new Error(`the format is ${state.format}, but this version supports only ${FORMAT}`);
  }
  return state;
}

function replay(loaded: LoadedState, entry: Json): void {
  if (entry.object) {
    loaded.version = entry.version;
    if (entry.type === "DELETED") loaded.objects.delete(keyOf(entry.object));
    else loaded.objects.set(keyOf(entry.object), entry.object);
  } else if (entry.volume !== undefined) {
    if (entry.data === null) loaded.volumes.delete(entry.volume);
    else loaded.volumes.set(entry.volume, entry.data);
  } else if (entry.log === null) {
    loaded.logs.delete(entry.pod);
  } else {
    const own = loaded.logs.get(entry.pod) ?? new Map<string, Json>();
    loaded.logs.set(entry.pod, own.set(entry.container, entry.log));
  }
}

function restore(world: SimulatorContext, { version, objects, volumes, logs }: LoadedState): void {
  world.store.restore([...objects.values()].filter((object) => world.kinds.of(object)), version);
  world.volumes.restore([...volumes]);
  world.logs.restore([...logs].map(([pod, own]) => [pod, [...own]]));
}

function keyOf({ apiVersion, kind, metadata }: Json): string {
  return [apiVersion, kind, metadata.namespace ?? "", metadata.name].join("/");
}
