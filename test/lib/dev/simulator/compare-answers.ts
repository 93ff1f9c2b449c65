/** Compares a recorded answer with a new one. Maps values that differ between runs, and requires equality elsewhere. */
// deno-lint-ignore no-explicit-any
export type Json = any;

/** Maps recorded UIDs, versions, generated names and tokens to those of this run. */
export class Names {
  readonly #known = new Map<string, string>();

  learn(recorded: string, fresh: string): void {
    this.#known.set(recorded, fresh);
  }

  translate(text: string): string {
    const names = [...this.#known].sort(([a], [b]) => b.length - a.length);
    return names.reduce(
      (at, [recorded, fresh]) => at.replace(new RegExp(`(?<![\\w-])${escape(recorded)}(?![\\w-])`, "g"), fresh),
      text,
    );
  }
}

/** Fields that differ between runs or machines. They must only exist. */
const VARYING = new Set(
  ("time creationTimestamp deletionTimestamp lastTransitionTime lastUpdateTime lastProbeTime startTime completionTime " +
    "firstTimestamp lastTimestamp eventTime startedAt finishedAt containerID imageID podIP ip clusterIP gitCommit buildDate " +
    "goVersion serverAddressByClientCIDRs reportingInstance pod-template-hash").split(" "),
);
/** Fields with names of this run, which later requests use. */
const LEARNED = new Set("uid resourceVersion continue".split(" "));
/** Fields that only the real server sets. No client uses them. */
const IGNORED = new Set(
  "managedFields gitCommit buildDate goVersion remainingItemCount".split(" "),
);
/** A generated name with the server's suffix. */
const GENERATED = /^(gen|bad|ok|kube-api-access|d-[a-z0-9]{10}|d|st)-[a-z0-9]{5,10}(\.[0-9a-f]+)?-?$/;

/** Returns the first difference; null if the answers agree. */
export function likeness(recorded: Json, fresh: Json, names: Names, path = ""): string | null {
  const key = /([^.[\]]*)(\[\d+\])?$/.exec(path)?.[1] ?? "";
  if (VARYING.has(key) || (Array.isArray(recorded) && key === "clusterIPs")) {
    return (recorded === null) === (fresh === null) && typeof recorded === typeof fresh
      ? null
      : differ(path, recorded, fresh);
  }
  if (typeof recorded === "string" && typeof fresh === "string") {
    if (LEARNED.has(key) || (GENERATED.test(recorded) && GENERATED.test(fresh))) {
      names.learn(recorded, fresh);
      return null;
    }
    return blur(names.translate(recorded)) === blur(fresh) ? null : differ(path, names.translate(recorded), fresh);
  }
  if (Array.isArray(recorded) && Array.isArray(fresh)) {
    const cut = typeof recorded.at(-1) === "string" && recorded.at(-1).startsWith("… ");
    const expected = cut ? recorded.slice(0, -1) : recorded;
    if (cut ? fresh.length < expected.length : fresh.length !== expected.length) return differ(path, recorded, fresh);
    for (const [i, item] of expected.entries()) {
      const wrong = likeness(item, fresh[i], names, `${path}[${i}]`);
      if (wrong) return wrong;
    }
    return null;
  }
  if (isRecord(recorded) && isRecord(fresh)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(fresh)])) {
      if (IGNORED.has(name)) {
        const owned = name === "managedFields" && !path.startsWith(".items"); // pods and events are nobody's to apply
        const wrong = owned ? compareManagers(recorded[name], fresh[name], path) : null;
        if (wrong) return wrong;
        continue;
      }
      const wrong = likeness(recorded[name], fresh[name], names, `${path}.${name}`);
      if (wrong) return wrong;
    }
    return null;
  }
  return recorded === fresh ? null : differ(path, recorded, fresh);
}

/** Compares only the field managers, because real controllers split their writes in another way. */
function compareManagers(recorded: Json, fresh: Json, path: string): string | null {
  const list = (entries: Json) =>
    (entries ?? []).map(({ manager, operation, subresource }: Json) =>
      [manager, operation, subresource ?? ""].join(" ")
    )
      .filter((text: string) => !text.startsWith("kube-")).sort();
  const [a, b] = [list(recorded), list(fresh)];
  return JSON.stringify(a) === JSON.stringify(b) ? null : differ(`${path}.managedFields`, a, b);
}

/** Removes values of this run from a message. */
function blur(text: string): string {
  return text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID").replace(/"d-[a-z0-9]{10}"/g, '"d-HASH"')
    .replace(/too old resource version: 1 \(\d+\)/, "too old resource version: 1 (N)")
    .replace(/(bad|ok|d)-[a-z0-9]{5,10} /g, "POD ");
}

function differ(path: string, recorded: Json, fresh: Json): string {
  return `${path}: recorded ${JSON.stringify(recorded)}\n  got ${JSON.stringify(fresh)}`;
}

function isRecord(value: Json): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
