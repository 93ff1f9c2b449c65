/**
 * The packages as others get them: packed, installed into a project, imported on each runtime, and without private files.
 *
 *   npm test -- --package
 *
 * It is not one of `npm test`'s files, because it packs and installs. Ends with one line: N passed, N failed, N skipped.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COPIED = ["node_modules", ".git", "dist", ".wheelwright"];
/** Files that a careless person leaves in a clone. */
const PLANTED = [
  ...["wheelwright.backup", "night.part", "src/monday.backup", "lib/client/it.backup", "deploy/.env", "kubeconfig"],
  ...[
    "production.kubeconfig",
    "deploy/kubeconfig.yaml",
    ".kube/config",
    ".wheelwright/postgres/password",
    "docs/x.backup",
  ],
];

const counts = { passed: 0, failed: 0, skipped: 0 };
const clientTarball = () => join(place, "clone/dist/client", "wheelwright-client.tgz");
let place = "";

async function check(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    counts.passed++;
    console.log(`  ✓ ${name}`);
  } catch (error) {
    counts.failed++;
    console.log(`  ✗ ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

function skip(name: string): void {
  counts.skipped++;
  console.log(`  - ${name}`);
}

/** Returns standard output. Throws with both outputs if it fails. */
async function run(
  program: string,
  line: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    return (await promisify(execFile)(program, line, { cwd, env, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${line.join(" ")}: ${stdout}${stderr}`.trim(), { cause: error });
  }
}

function expect(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** The paths in the tarball that `npm pack` makes of this directory. */
async function pack(directory: string): Promise<{ file: string; paths: string[] }> {
  const [packed] = JSON.parse(await run("npm", ["pack", "--json", "--pack-destination", directory], directory));
  const paths = packed.files.map(({ path }: { path: string }) => path);
  return { file: join(directory, packed.filename), paths };
}

function privateOf(paths: readonly string[]): string[] {
  return paths.filter((path) => PLANTED.some((planted) => path.endsWith(planted)));
}

async function checkPrivacy(clone: string): Promise<void> {
  await check("npm pack takes no private file, no test and no picture along", async () => {
    const { file, paths } = await pack(clone);
    await rm(file);
    const wrong = [...privateOf(paths), ...paths.filter((path) => /^(?:test|docs\/images)\//.test(path))];
    expect(wrong.length === 0, wrong.join(", "));
    expect(paths.includes("src/main.ts") && paths.includes("lib/moodle/manifests/seed.php"), "the program is missing");
  });
  await check("git add -A takes no private file along", async () => {
    await run("git", ["init", "--quiet"], clone);
    await run("git", ["add", "-A"], clone);
    const wrong = privateOf((await run("git", ["ls-files"], clone)).split("\n"));
    expect(wrong.length === 0, wrong.join(", "));
  });
}

async function checkClient(client: string, project: string): Promise<void> {
  await check("the client's package holds its modules and their types alone", async () => {
    const { file, paths } = await pack(client);
    await cp(file, clientTarball());
    const wrong = paths.filter((path) =>
      !/^(?:lib\/[\w-]+(?:\.js|\.d\.ts)|package\.json|README\.md|LICENSE)$/.test(path)
    );
    expect(wrong.length === 0, wrong.join(", "));
  });
  await check("it installs without a network, and brings no other package", async () => {
    await writeFile(join(project, "package.json"), '{ "name": "x", "version": "1.0.0", "type": "module" }');
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", clientTarball()], project);
    const { packages } = JSON.parse(await run("cat", ["package-lock.json"], project));
    expect(Object.keys(packages).length === 2, Object.keys(packages).join(", "));
  });
  await writeFile(join(project, "use.mjs"), USE);
  await writeFile(join(project, "use.ts"), TYPED);
  await checkRuntimes(project);
  await check("its types are found and strict, also for a bundler", async () => {
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    for (const [module, resolution] of [["nodenext", "nodenext"], ["esnext", "bundler"]]) {
      const line = [
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--module",
        module!,
        "--moduleResolution",
        resolution!,
      ];
      await run(process.execPath, [compiler, ...line, "--types", "", "use.ts"], project);
    }
  });
  await check("a bundle for a browser needs nothing but the web", async () => {
    const { metafile } = await build({
      ...{ absWorkingDir: project, entryPoints: ["use.mjs"], bundle: true, write: false, metafile: true },
      ...{ platform: "browser", format: "esm", target: "es2022", logLevel: "silent" },
    });
    const foreign = Object.keys(metafile.inputs).filter((path) =>
      !/^(?:use\.mjs|node_modules\/@wheelwright\/client\/lib\/)/.test(path)
    );
    expect(foreign.length === 0, foreign.join(", "));
  });
}

const USE = `import { connect, WheelwrightError } from "@wheelwright/client";
const wheelwright = connect({ url: globalThis.process.argv[2], token: "ww_cli_x", maxAttempts: 1 });
const { user } = await wheelwright.getMe();
const refused = await wheelwright.getSpoke({ spokeId: "ash" }).catch((error) => error);
console.log(user.email, refused instanceof WheelwrightError, refused.code);
`;

const TYPED = `import { connect, type Spoke } from "@wheelwright/client";
export async function use(): Promise<Spoke> {
  const wheelwright = connect({ url: "http://localhost:3000" });
  // @ts-expect-error it takes no number
  await wheelwright.createFederation({ slug: 3 });
  return await wheelwright.createFederationSpoke({ federationId: "north" }, { slug: "ash" });
}
`;

/** Node as npm found it may be an old one; the project's own is in node_modules. */
async function checkRuntimes(project: string): Promise<void> {
  const server = createServer((request, response) => {
    const found = request.url === "/api/auth/me";
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    const refusal = { statusCode: 404, code: "not_found", message: "No such spoke", error: "Not Found" };
    response.end(JSON.stringify(found ? { user: { email: "ada@school.example" } } : refusal));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = join(ROOT, "node_modules/.bin/node"), deno = join(ROOT, "node_modules/.bin/deno");
  const system = process.env["npm_node_execpath"] ?? "";
  const runtimes: [string, string, string[]][] = [
    ["the project's Node", own, []],
    ["the Node that runs npm", system, []],
    ["Deno", deno, ["run", "--quiet", "--allow-all", "--node-modules-dir=manual"]],
  ];
  for (const [name, program, before] of runtimes) {
    if (!existsSync(program)) {
      skip(`${name} is not here`);
      continue;
    }
    const version = (await run(program, ["--version"], project)).split("\n")[0];
    await check(`it is imported on ${name} (${version})`, async () => {
      const printed = await run(program, [...before, "use.mjs", url], project);
      expect(printed === "ada@school.example true not_found\n", printed);
    });
  }
  await new Promise((resolve) => server.close(resolve));
}

async function main(): Promise<void> {
  place = await mkdtemp(join(tmpdir(), "wheelwright-package-"));
  try {
    const clone = join(place, "clone"), project = join(place, "project");
    await check(
      "npm run build -- client builds",
      () => run("npm", ["run", "--silent", "build", "--", "client"], ROOT).then(() => {}),
    );
    await cp(ROOT, clone, { recursive: true, filter: (path) => !COPIED.includes(relative(ROOT, path)) });
    await cp(join(ROOT, "dist/client"), join(clone, "dist/client"), { recursive: true });
    await mkdir(project);
    for (const path of [...PLANTED, "dist/client/lib/client.backup"]) {
      await mkdir(join(clone, path, ".."), { recursive: true });
      await writeFile(join(clone, path), "private");
    }
    await checkPrivacy(clone);
    await checkClient(join(clone, "dist/client"), project);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

await main();
