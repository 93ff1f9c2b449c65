/**
 * Saves the simulated cluster's state to a file. The first line contains the complete state, and each further line one
 * change. Each change is written before the client receives a response, so that no acknowledged change is lost if the
 * process is killed. When the changes outgrow the state, the file is replaced by one with a new first line.
 *
 * If the file is unreadable, the simulator refuses to start, so that no simulated site is lost. If a save fails, the
 * simulator retries every second and logs an error only for the first failure.
 */
import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { getErrorReason, StartError } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const FORMAT = 2;
const LEAST_CHANGES = 4 * 1024 * 1024; // bytes of changes before the file is replaced, however small the state is
const SAVE_FAILED =
  "Cannot save the simulated cluster's state. Changes are lost if the process ends before a save succeeds";

/** Loads the state and saves all later changes. Returns a function that saves the state a last time. */
export function openStatePersistence(world: Simulation, path: string): () => void {
  let journals = load(world, path);
  let file: number | null = null; // null while the state cannot be saved
  let failed = false, bytesLeft = 0;
  const { store, volumes, logs } = world, temporary = `${path}.tmp`;

  function save(): void {
    if (file !== null) closeSync(file);
    file = null;
    try {
      const state = { version: store.version(), objects: store.everything() };
      const text = JSON.stringify({ format: FORMAT, ...state, volumes: volumes.entries(), logs: logs.entries() });
      writeFileSync(temporary, `${text}\n`, { mode: 0o600 });
      renameSync(temporary, path);
      file = openSync(path, "a");
      bytesLeft = Math.max(LEAST_CHANGES, text.length);
      for (const journal of journals) rmSync(journal, { force: true });
      journals = [];
    } catch (error) {
      return retryLater(error);
    }
    if (failed) world.log.info("Saving the simulated cluster's state works again", { path });
    failed = false;
  }

  function retryLater(error: unknown): void {
    try {
      rmSync(temporary, { force: true }); // the incomplete file may use the last free disk space
    } catch { /* the next save reports why */ }
    if (!failed) world.log.error(SAVE_FAILED, { path, reason: getErrorReason(error) });
    failed = true;
    world.timers.after(SECOND, save);
  }

  function append(change: Json): void {
    if (file === null) return;
    const line = Buffer.from(JSON.stringify(change) + "\n");
    try {
      if (writeSync(file, line) < line.length) throw Object.assign(new Error("Cut off"), { code: "ENOSPC" });
    } catch (error) {
      closeSync(file);
      file = null;
      return retryLater(error);
    }
    bytesLeft -= line.length;
    if (bytesLeft < 0) save();
  }

  save();
  const stops = [
    store.subscribe(({ type, object, version }) => append({ type, object, version })),
    volumes.subscribe((volume, data) => append({ volume, data })),
    logs.subscribe((pod, container, log) => append({ pod, container, log })),
  ];
  return () => {
    stops.forEach((stop) => stop());
    save();
    if (file !== null) closeSync(file);
  };
}

/** Restores the cluster from the file. Returns the journal files of Wheelwright 0.1.0, which stored changes in them. */
function load(world: Simulation, path: string): string[] {
  try {
    const text = readIfPresent(path);
    // The process may have been killed while it wrote the last line. A file of Wheelwright 0.1.0 has no line feed.
    const [first = "", ...changes] = text.includes("\n") ? text.split("\n").slice(0, -1) : [text];
    const state: Json = first === "" ? { format: FORMAT } : JSON.parse(first);
    if (state.format !== 1 && state.format !== FORMAT) {
      throw new Error(`the format is ${state.format}, but this version supports only 1 and ${FORMAT}`);
    }
    const { journal = 0, version = 0, objects = [], volumes = [], logs = [] } = state;
    const loaded: LoadedState = {
      version,
      objects: new Map(objects.map((object: Json) => [keyOf(object), object])),
      volumes: new Map(volumes),
      logs: new Map(logs.map(([pod, own]: [string, [string, Json][]]) => [pod, new Map(own)])),
    };
    const journals = listJournals(path);
    const older = journals.flatMap((file) => readIfPresent(file).split("\n").slice(0, -1)).map((line) =>
      JSON.parse(line)
    )
      .filter(({ number }) => number > journal).map(({ entry }) => entry);
    for (const change of [...older, ...changes.map((line) => JSON.parse(line))]) replay(loaded, change);
    world.store.restore([...loaded.objects.values()].filter((object) => world.kinds.of(object)), loaded.version);
    world.volumes.restore([...loaded.volumes]);
    world.logs.restore([...loaded.logs].map(([pod, own]) => [pod, [...own]]));
    return journals;
  } catch (cause) {
    const damaged = cause instanceof SyntaxError || cause instanceof TypeError;
    const why = damaged ? "the file is damaged" : getErrorReason(cause);
    const message = `Cannot load the simulated cluster's state from ${path}: ${why}`;
    throw new StartError(`${message}; to start with an empty cluster, move this file to another folder`, { cause });
  }
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Returns the files `PATH.1`, `PATH.2` and so on, in this order. */
function listJournals(path: string): string[] {
  const number = (file: string): string | undefined => /^\.(\d+)$/.exec(file.slice(basename(path).length))?.[1];
  return readdirSync(dirname(path)).filter((file) => file.startsWith(basename(path)) && number(file))
    .sort((a, b) => Number(number(a)) - Number(number(b))).map((file) => join(dirname(path), file));
}

interface LoadedState {
  version: number;
  readonly objects: Map<string, Json>;
  readonly volumes: Map<string, Json>;
  readonly logs: Map<string, Map<string, Json>>;
}

function replay(loaded: LoadedState, change: Json): void {
  if (change.object) {
    loaded.version = change.version;
    if (change.type === "DELETED") loaded.objects.delete(keyOf(change.object));
    else loaded.objects.set(keyOf(change.object), change.object);
  } else if (change.volume !== undefined) {
    if (change.data === null) loaded.volumes.delete(change.volume);
    else loaded.volumes.set(change.volume, change.data);
  } else if (change.log === null) {
    loaded.logs.delete(change.pod);
  } else {
    const own = loaded.logs.get(change.pod) ?? new Map<string, Json>();
    loaded.logs.set(change.pod, own.set(change.container, change.log));
  }
}

function keyOf({ apiVersion, kind, metadata }: Json): string {
  return [apiVersion, kind, metadata.namespace ?? "", metadata.name].join("/");
}
