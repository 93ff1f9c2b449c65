/**
 * Tests the executable as an operator uses it, from the version to an active spoke: `npm run build && node
 * test/executable/check.ts`.
 *
 * `npm test` does not run this file, because building dist/wheelwright takes a while.
 */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { signIn } from "#test/support/client.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { until } from "#test/support/until.ts";

const ROOT = new URL("../../", import.meta.url);
const EXECUTABLE = fileURLToPath(new URL("dist/wheelwright", ROOT));
const ADMIN = { email: "ada@school.example", password: "correct horse battery" };

interface Scene {
  directory: string;
  db: TestDatabase;
}

interface Run {
  /** Returns the output so far. */
  text(): string;
  /** Waits until the output matches. Returns the first group of the match. */
  said(pattern: RegExp): Promise<string>;
  readonly ended: Promise<number | null>;
  stop(): Promise<number | null>;
}

const test = suite<Scene>("dist/wheelwright");
const running = new Set<Run>();

test.before(async (scene) => {
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-executable-"));
  scene.db = await openTestDatabase();
});
test.after(async (scene) => {
  for (const each of running) await each.stop(); // those of a test that failed half-way
  await scene.db.close();
  await rm(scene.directory, { recursive: true, force: true });
});

/** Starts the executable in an empty environment and directory, without the checkout and without Node on the path. */
function start(cwd: string, line: string[], env: Record<string, string> = {}, input = ""): Run {
  const child = spawn(EXECUTABLE, line, { cwd, env });
  child.stdin.on("error", () => {}).end(input);
  let text = "", over = false;
  for (const output of [child.stdout, child.stderr]) output.setEncoding("utf8").on("data", (some) => text += some);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      over = true;
      running.delete(run);
      resolve(status);
    });
  });
  const run: Run = {
    text: () => text,
    ended,
    async said(pattern) {
      const found = await until(() => pattern.exec(text) ?? (over && { 1: "" }));
      if (!pattern.test(text)) throw new Error(`It ended without saying ${pattern}:\n${text}`);
      return found[1] ?? "";
    },
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
  running.add(run);
  return run;
}

async function run(cwd: string, line: string[], env: Record<string, string> = {}, input = "") {
  const started = start(cwd, line, env, input);
  return { status: await started.ended, text: started.text() };
}

test("prints its version, and starts quickly", async ({ directory }) => {
  const { version } = JSON.parse(await readFile(new URL("package.json", ROOT), "utf8"));
  const before = performance.now();
  assert.equal(await run(directory, ["--version"]), { status: 0, text: `wheelwright ${version}\n` });
  console.log(`\n  Printed its version within ${Math.round(performance.now() - before)} ms`);
});

test("includes licences", async ({ directory }) => {
  const { status, text } = await run(directory, ["licenses"]);
  assert.is(status, 0);
  assert.match(text, "Node.js is licensed for use as follows");
  assert.match(text, "Apache License");
});

test("names the missing configuration", async ({ directory }) => {
  const { status, text } = await run(directory, ["serve"]);
  assert.is(status, 78);
  for (const name of ["DATABASE_URL", "PUBLIC_URL", "ROOT_DOMAIN", "KUBECONFIG"]) {
    assert.match(text, `${name} is missing`);
  }
});

test("does not include the dev command", async ({ directory }) => {
  const { status, text } = await run(directory, ["dev"]);
  assert.is(status, 69);
  assert.match(text, "npm ci --omit=dev && npm start");
});

test("health and admin commands fail without a database, and create none", async ({ directory }) => {
  assert.is((await run(directory, ["healthcheck"], { PORT: "1" })).status, 1);
  const { status, text } = await run(directory, ["admin", "reset-password", ADMIN.email]);
  assert.is(status, 78);
  assert.match(text, "DATABASE_URL is missing");
});

test("migrates an empty database, and then has nothing to do", async ({ directory, db }) => {
  const env = { DATABASE_URL: await db.freshUrl() };
  const first = await run(directory, ["migrate"], env);
  assert.is(first.status, 0, first.text);
  assert.match(first.text, "Applied 0001_");
  assert.equal(await run(directory, ["migrate"], env), { status: 0, text: "The database is up to date\n" });
});

test("encrypts and decrypts a backup", async ({ directory, db }) => {
  const env = { DATABASE_URL: await db.freshUrl() }, sealed = { BACKUP_PASSPHRASE: ADMIN.password };
  await run(directory, ["migrate"], env);
  const { status, text } = await run(directory, ["backup", "it.backup"], { ...env, ...sealed });
  assert.is(status, 0, text);
  assert.match(text, /^Backed up .*, encrypted$/m);
  assert.match((await run(directory, ["backup", "--verify", "it.backup"], sealed)).text, "it.backup is complete");
});

test("activates a spoke, shuts down cleanly, and keeps everything for the next start", async (scene) => {
  const { directory, db } = scene, kubeconfig = join(directory, "kubeconfig");
  const cluster = start(directory, ["simulate", "--kubeconfig", kubeconfig], { SIMULATOR_DELAY_MS: "0" });
  await cluster.said(/Simulated cluster on (\S+)/);
  const env = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: await db.freshUrl(),
    KUBECONFIG: kubeconfig,
    PUBLIC_URL: "http://localhost:3000",
    ROOT_DOMAIN: "spokes.example.org",
    BOOTSTRAP_ADMIN_EMAIL: ADMIN.email,
    BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
  };
  const before = performance.now();
  const first = start(directory, ["serve"], env);
  const port = await first.said(/Listening on 127\.0\.0\.1:(\d+)/);
  console.log(`\n  It listened within ${Math.round(performance.now() - before)} ms, with a database to migrate`);
  const url = `http://127.0.0.1:${port}`;
  assert.equal(await run(directory, ["healthcheck"], { HOST: "127.0.0.1", PORT: port }), {
    status: 0,
    text: "Ready\n",
  });
  const { commit } = await (await fetch(`${url}/api/version`)).json();
  assert.match(commit, /^(?:[0-9a-f]{40}|unknown)$/);

  const client = await signIn(url, ADMIN.email, ADMIN.password);
  await client.send("POST", "/api/federations", { slug: "north" });
  const { body: spoke } = await client.send("POST", "/api/federations/north/spokes", { slug: "ash" });
  for await (const { event } of client.events("north", 0)) if (event === "SpokeUpdateActive") break;

  const configEnv = { XDG_CONFIG_HOME: join(directory, "config") };
  const login = await run(directory, ["login", url, "--email", ADMIN.email, "--password"], configEnv, ADMIN.password);
  assert.is(login.status, 0, login.text);
  assert.match((await run(directory, ["me"], configEnv)).text, `email\t${ADMIN.email}`);
  assert.match(
    (await run(directory, ["spokes", "apply", "-f", "spokes.yaml"], configEnv)).text,
    "Cannot read spokes.yaml",
  );
  assert.is(await first.stop(), 0, first.text());

  const second = start(directory, ["serve"], env);
  const again = `http://127.0.0.1:${await second.said(/Listening on 127\.0\.0\.1:(\d+)/)}`;
  const later = await signIn(again, ADMIN.email, ADMIN.password);
  assert.is((await later.send("GET", `/api/spokes/${spoke.id}`)).body.state, "active");
  assert.equal([await second.stop(), await cluster.stop()], [0, 0]);
});

test("builds a release of the last commit for both architectures, with its version everywhere", async ({ directory }) => {
  const root = fileURLToPath(ROOT), version = "1000.0.0", clone = join(directory, "clone");
  const who = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: ADMIN.email };
  const env = { ...process.env, ...who, GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: ADMIN.email };
  const tool = async (cwd: string, program: string, ...line: string[]) =>
    (await promisify(execFile)(program, line, { cwd, env, maxBuffer: 2 ** 26 })).stdout;
  await tool(directory, "git", "clone", "--quiet", root, clone);
  // Adds a change, because a commit that is itself a release has none to release.
  const changelog = join(clone, "CHANGELOG.md"), text = await readFile(changelog, "utf8");
  await writeFile(changelog, text.replace(/^## Unreleased\n+(?=## )/m, "## Unreleased\n\n### Added\n\n- A trial.\n\n"));
  await tool(clone, "git", "commit", "--quiet", "--allow-empty", "--all", "--message", "Adds a change");
  const { version: before } = JSON.parse(await readFile(join(clone, "package.json"), "utf8"));
  const printed = await tool(clone, process.execPath, join(root, "src/make-release.ts"), version, "--write");
  for (const line of printed.match(/^Not built: .*/gm) ?? []) console.log(`\n  ${line}`);
  assert.not.match(printed, "Not built: the executable");
  await tool(join(clone, "dist", version), "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS");
  const changed = (await tool(clone, "git", "grep", "--files-with-matches", "--fixed-strings", version)).split("\n");
  const followers = ["package.json", "package-lock.json", "deno.json", "CHANGELOG.md", "src/releases.ts"];
  assert.equal([...followers, "lib/client/endpoints.ts"].filter((file) => !changed.includes(file)), []);
  const left = tool(clone, "git", "grep", "--files-with-matches", "--fixed-strings", `${before}`, "--", "deploy");
  assert.is(await left.catch(({ stdout }) => stdout), "");
});

test.run();
