/** Simulates packages.php, which checks, deletes and restores packages in the volume of a hub's library. */
import { volumeHandleOf } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

type Packages = Readonly<Record<string, object>>;
const TOTAL = 21_474_836_480; // 20 GiB

export function runPackagesScript({ world, pod, env }: ProgramContext): ProgramRun {
  const namespace = pod.metadata.namespace!, names: [string, number][] = JSON.parse(env["PACKAGES"]!);
  const open = (volume: string): string | null => {
    const claim = pod.spec.volumes?.find(({ name }: { name: string }) => name === volume)?.persistentVolumeClaim;
    return claim ? volumeHandleOf(world, namespace, claim.claimName) : null;
  };
  const library = open("library")!, backup = open("backup");
  const read = (handle: string | null): Packages => handle === null ? {} : world.volumes.read(handle).packages ?? {};
  const before = read(library), source = read(backup), wanted = names.map(([sha256]) => sha256);
  const copied = env["MODE"] === "restore"
    ? wanted.filter((sha256) => before[sha256] === undefined && source[sha256] !== undefined)
    : [];
  const deleted = env["MODE"] === "delete" ? wanted : [];
  const after: Packages = Object.fromEntries([
    ...Object.entries(before).filter(([sha256]) => !deleted.includes(sha256)),
    ...copied.map((sha256) => [sha256, source[sha256]!] as const),
  ]);
  const used = Object.keys(after).length * 21_000_000;
  const present = wanted.map((sha256) => after[sha256] === undefined ? "0" : "1").join("");
  const result = { present, used, free: TOTAL - used, copied: copied.length, damaged: 0 };
  return {
    lines: [`packages ${JSON.stringify(result)}`],
    exit: 0,
    delay: "cli",
    done: () => world.volumes.write(library, { packages: after }),
  };
}
