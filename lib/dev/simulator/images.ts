/** Images: which of them can be pulled, and in what words the others cannot. */
import type { Faults } from "#lib/dev/simulator/faults.ts";

const ABSENT = /nonexistent|does-not-exist|missing/;

/** Why the image cannot be pulled; null if it can. */
export function pullFailure(image: string, faults: Faults): string | null {
  const { host, path } = readImage(image);
  const failed = `failed to pull and unpack image "${host}/${path}": failed to resolve reference "${host}/${path}"`;
  if (host.endsWith(".invalid")) {
    return `${failed}: failed to do request: Head "https://${host}/v2/": dial tcp: lookup ${host}: no such host`;
  }
  const told = faults.lacksImage(image);
  if (told) return `${failed}: ${told}`;
  return told === null || ABSENT.test(path) ? `${failed}: ${host}/${path}: not found` : null;
}

/** With the registry and the tag that a short name leaves out. */
function readImage(image: string): { host: string; path: string } {
  const [first = "", ...rest] = image.split("/");
  const hosted = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const path = hosted ? rest.join("/") : rest.length === 0 ? `library/${image}` : image;
  const tagged = /[:@]/.test(path) ? path : `${path}:latest`;
  return { host: hosted ? first : "docker.io", path: tagged };
}
