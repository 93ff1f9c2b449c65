/**
 * Runs the parts of a script in package.json.
 *
 *   npm run check                      format, lint, types, fresh and rules: the checks that take seconds
 *   npm run check -- all               also contract and migrations
 *   npm run check -- types rules       only these
 *   npm run check -- --fix             formats the files first
 *   npm run generate                   writes all generated files
 *   npm run generate -- dump           a file that is generated once per release, or seldom; options follow the name
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

type Command = readonly [program: string, ...options: string[]];

const NODE = process.execPath, ROOT = fileURLToPath(new URL("../", import.meta.url));

const CHECKS: Readonly<Record<string, readonly Command[]>> = {
  lint: [["deno", "lint", "--quiet"]],
  types: [["tsc", "--checkers", "2"], ["tsc", "--project", "tsconfig.browser.json"]],
  format: [["deno", "fmt", "--check", "--quiet"]],
  fresh: [
    [NODE, "src/generate.ts", "--check"],
    [NODE, "test/contract/check.ts", "--fresh"],
    [NODE, "test/deploy/manifests.ts", "--fresh"],
  ],
  rules: [[NODE, "test/rules.test.ts"], [NODE, "test/language.test.ts"]],
  contract: [[NODE, "test/contract/check.ts"]],
  migrations: [[NODE, "test/migrations/check.ts"]],
};
const SELDOM = ["contract", "migrations"]; // they change only with the API and the database

const GENERATED: Readonly<Record<string, readonly Command[]>> = {
  modules: [[NODE, "src/generate.ts"]],
  surface: [[NODE, "test/contract/check.ts", "--write"]],
  manifests: [[NODE, "test/deploy/manifests.ts", "--write"]],
};
const GENERATED_BY_NAME: typeof GENERATED = {
  tools: [[NODE, "test/support/tools.ts"]],
  contract: [[NODE, "test/contract/check.ts", "--release"]],
  dump: [[NODE, "test/migrations/dump.ts"]],
  screenshots: [[NODE, "test/screenshots.ts"]],
};

process.exitCode = await main(process.argv.slice(2));

async function main([script, ...words]: string[]): Promise<number> {
  return script === "check" ? await check(words) : await generate(words);
}

async function check(words: readonly string[]): Promise<number> {
  const names = words.filter((word) => word !== "--fix" && word !== "all");
  await run(["deno", "--version"]); // npm's package puts Deno into place when it first runs, which two must not do at once
  if (words.includes("--fix")) await run(["deno", "fmt", "--quiet"]);
  const all = Object.keys(CHECKS), normal = all.filter((name) => !SELDOM.includes(name));
  const queue = names.length > 0 ? names : words.includes("all") ? all : normal, failed: string[] = [];
  const commands = new Map(queue.map((name) => [name, find(CHECKS, name)]));
  const work = async () => {
    for (let name = queue.shift(); name; name = queue.shift()) {
      const start = performance.now();
      let status = 0, output = "";
      for (const command of commands.get(name)!) {
        const ended = await run(command);
        output += ended.output;
        status ||= ended.status;
      }
      if (status !== 0) failed.push(name);
      const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(5);
      console.log(`${status === 0 ? "✓" : "✗"} ${name.padEnd(10)} ${seconds} s`);
      if (status !== 0) console.log(output.trimEnd());
    }
  };
  await Promise.all([work(), work()]); // on two cores
  if (failed.length > 0) console.log(`Failed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}

async function generate([name, ...options]: readonly string[]): Promise<number> {
  const commands = name ? find({ ...GENERATED, ...GENERATED_BY_NAME }, name) : Object.values(GENERATED).flat();
  for (const command of commands) {
    const { status } = await run([...command, ...options], "inherit");
    if (status !== 0) return status;
  }
  return 0;
}

function find(parts: typeof CHECKS, name: string): readonly Command[] {
  const found = parts[name];
  if (!found) throw new Error(`Unknown: ${name}. Use one of: ${Object.keys(parts).join(", ")}`);
  return found;
}

async function run([program, ...line]: Command, stdio: "pipe" | "inherit" = "pipe") {
  // tsc is written in Go. GOGC=400 halves its CPU time, because it collects garbage less often; it then uses 1.4 GB.
  const env = { ...process.env, ...(program === "tsc" && { GOGC: "400" }) };
  const child = spawn(program, line, { cwd: ROOT, env, stdio: ["inherit", stdio, stdio] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => output += chunk);
  const status = await new Promise<number>((resolve, reject) => {
    child.once("error", reject).once("close", (status) => resolve(status ?? 1));
  });
  return { status, output };
}
