/** Replaces podman in tests of documented commands: `run … localhost/wheelwright:VERSION COMMAND` runs the program
 * itself, with the given variables, and with this machine's own files instead of the mounted ones. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const text = { type: "string" as const, multiple: true as const }, word = { type: "string" as const };
const flag = { type: "boolean" as const };
const words = process.argv.slice(2), image = words.findIndex((each) => each.startsWith("localhost/wheelwright:"));
const { values, positionals: [command] } = parseArgs({
  args: words.slice(0, image),
  allowPositionals: true,
  options: { rm: flag, interactive: flag, user: word, network: word, "env-file": text, env: text, volume: text },
});
if (command !== "run") throw new Error(`This test does not simulate podman ${command}`);
const lines = (values["env-file"] ?? []).flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
const mounts = (values.volume ?? []).map((volume) => volume.split(":"));
const entries = [...lines, ...values.env ?? []].map((entry) => {
  const [name = "", value = ""] = [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)];
  return [name, mounts.find(([, inside]) => inside === value)?.[0] ?? value];
});
const { PATH = "", HOME = "" } = process.env;
const before = "deno" in process.versions ? ["run", "--quiet", "-A"] : [];
spawn(process.execPath, [...before, MAIN, ...words.slice(image + 1)], {
  env: { PATH, HOME, ...Object.fromEntries(entries) },
  stdio: "inherit",
}).once("close", (status) => process.exitCode = status ?? 1);
