/**
 * Runs the commands of docs/kubernetes.md in one shell, with real Helm and kubectl, the simulated cluster with authorization
 * and a real database. Instead of pods it starts the program with their variables and account. Commands that cannot run here
 * are only parsed, by bash and by shellcheck if it is installed.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { readObjects } from "#test/support/chart.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";
import { putAsAdmin, SERVICE_ACCOUNT } from "#test/support/service-account.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { helm, kubectl } from "#test/support/tools.ts";
import { until } from "#test/support/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MINUTES = 90_000;

interface Block {
  readonly language: string;
  readonly how: string;
  readonly text: string;
}

interface Context {
  blocks: Block[];
  simulator: Simulator;
  db: TestDatabase;
  /** The prefix of the database and its roles, unique on the server. */
  name: string;
  directory: string;
  shell: ChildProcess;
  programs: StartedProgram[];
}

const canRun = helm !== null && kubectl !== null &&
  spawnSync("bash", ["-c", "command -v curl openssl sed"]).status === 0;
const test = suite<Context>("docs/kubernetes.md");
const runnable = canRun ? test : test.skip;

test.before(async (context) => {
  const page = await readFile(join(ROOT, "docs/kubernetes.md"), "utf8");
  context.blocks = [...page.matchAll(/^```(\w*) ?(\w*)\n(.*?)^```$/gms)]
    .map(([, language = "", how = "", text = ""]) => ({ language, how, text }));
  if (!canRun) return;
  context.simulator = await openSimulator({ delayMs: 20, log: SILENT_LOG, authorization: "on" });
  context.db = await openTestDatabase();
  context.name = `${new URL(context.db.url).pathname.slice(1)}_k3s`;
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-k3s-"));
  context.programs = [];
  await prepareK3s(context);
});
test.after(async ({ simulator, db, name, directory, shell, programs }) => {
  if (!canRun) return;
  for (const program of programs) await program.stop();
  if (shell?.exitCode === null) process.kill(-shell.pid!, "SIGKILL");
  await withAdminConnection(db.url, async (sql) => {
    await sql.unsafe(`drop database if exists ${name} with (force)`);
    for (const role of ["service", "owner"]) await sql.unsafe(`drop role if exists ${name}_${role}`);
  });
  await simulator.close();
  await db.close();
  await rm(directory, { recursive: true });
});

test("all blocks are valid shell or YAML", ({ blocks }) => {
  const shellcheck = spawnSync("shellcheck", ["--version"]).status === 0;
  for (const { language, text } of blocks) {
    if (language === "yaml") assert.ok(readObjects(text).length > 0);
    if (language !== "sh") continue;
    const read = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
    assert.is(read.status, 0, read.stderr);
    if (!shellcheck) continue;
    const checked = spawnSync("shellcheck", ["--shell=bash", "--severity=error", "-"], {
      input: text,
      encoding: "utf8",
    });
    assert.is(checked.status, 0, checked.stdout);
  }
  assert.ok(blocks.filter(({ how }) => how === "").length > 8);
});

runnable("leads to an active spoke with only the rights of the chart", async (context) => {
  const { simulator, directory } = context;
  startShell(context);
  await runAtPause(context, "roles", () => makeRoles(context));
  await runAtPause(context, "pods", async () => await startPods(context));
  await waitForEnd(context.shell);
  const printed = await readFile(join(directory, "printed"), "utf8");
  assert.is(await readFile(join(directory, "failed"), "utf8").catch(() => ""), "", printed);
  assert.match(printed, /^https:\/\/ash\.spokes\.example\.org\/login\/forgot_password\.php\?token=/m);
  assert.ok(simulator.grants().has("wheelwright-spoke: create secrets"), "by the account's own rights");
  const [spoke] = simulator.objects("Ingress").filter(({ metadata }) => metadata.namespace!.startsWith("spoke-"));
  assert.equal([spoke!["spec"].ingressClassName, spoke!.metadata.annotations?.["cert-manager.io/cluster-issuer"]], [
    "traefik",
    "letsencrypt",
  ]);
  assert.match(printed, /certificates +ClusterIssuer letsencrypt is ready/, "doctor found nothing to fix");
});

/** Creates what k3s includes, and a folder with its commands. */
async function prepareK3s({ simulator, directory }: Context): Promise<void> {
  await writeFile(join(directory, "k3s.yaml"), simulator.kubeconfig());
  const named = (apiVersion: string, kind: string, name: string, group: string, rest: Json) =>
    putAsAdmin(simulator, {
      apiVersion,
      kind,
      metadata: { name, annotations: { [`${group}.kubernetes.io/is-default-class`]: "true" } },
      ...rest,
    });
  const traefik = { spec: { controller: "traefik.io/ingress-controller" } };
  await named("networking.k8s.io/v1", "IngressClass", "traefik", "ingressclass", traefik);
  await named("storage.k8s.io/v1", "StorageClass", "local-path", "storageclass", {
    provisioner: "rancher.io/local-path",
  });
  const bin = join(directory, "bin");
  await mkdir(bin);
  await symlink(helm!, join(bin, "helm"));
  await symlink(kubectl!, join(bin, "kubectl"));
  const runtime = [process.execPath, ..."deno" in process.versions ? ["run", "--quiet", "-A"] : []].join(" ");
  await writeFile(join(bin, "podman"), `#!/bin/sh\nexec ${runtime} ${join(ROOT, "test/support/podman.ts")} "$@"\n`);
  await chmod(join(bin, "podman"), 0o755);
  for (const file of ["deploy", "lib", "src"]) await symlink(join(ROOT, file), join(directory, file));
}

/** Starts a shell with all commands that can run here. It pauses twice, until the test created the roles and the pods. */
function startShell(context: Context): void {
  const { blocks, db, name, directory } = context, { host } = new URL(db.url);
  const pause = (what: string) => `touch ${what}.asked; until [ -e ${what}.done ]; do sleep 0.05; done`;
  const texts = blocks.filter(({ language, how }) => language === "sh" && how === "").map(({ text }) =>
    text.replaceAll("wheelwright_", `${name}_`).replace("create database wheelwright ", `create database ${name} `)
      .replace("$ADDRESS:5432/wheelwright", `${host}/${name}`)
      .replace("/etc/rancher/k3s/k3s.yaml", join(directory, "k3s.yaml"))
      .replace("export URL=https://$HUBS", `${pause("pods")}\nexport URL=$(cat url)`)
      .replace(/^(?=umask)/m, `${pause("roles")}\n`)
  );
  const trap =
    "set -E; trap 'case $BASH_COMMAND in *podman*|podman*) ;; *) echo \"$BASH_COMMAND\" >> failed;; esac' ERR";
  context.shell = spawn("bash", ["-c", `${trap}\nexec > printed 2>&1 < /dev/null\n${texts.join("\n")}`], {
    cwd: directory,
    detached: true,
    stdio: "ignore",
    env: environmentOfShell(context),
  });
}

/** Waits until the shell ends, and kills it if a command waits forever. */
async function waitForEnd(shell: ChildProcess): Promise<void> {
  const late = setTimeout(() => process.kill(-shell.pid!, "SIGKILL"), MINUTES);
  if (shell.exitCode === null) await new Promise((resolve) => shell.once("close", resolve));
  clearTimeout(late);
}

/** Runs the work when the shell pauses for it, then lets the shell continue. */
async function runAtPause({ directory, shell }: Context, what: string, work: () => Promise<void>): Promise<void> {
  const came = await until(() => shell.exitCode !== null || existsSync(join(directory, `${what}.asked`)), MINUTES);
  assert.ok(came && shell.exitCode === null, await readFile(join(directory, "printed"), "utf8"));
  await work();
  await writeFile(join(directory, `${what}.done`), "");
}

async function makeRoles({ db, directory }: Context): Promise<void> {
  const statements = (await readFile(join(directory, "roles.sql"), "utf8")).trim().split("\n");
  await withAdminConnection(db.url, async (sql) => {
    for (const statement of statements) await sql.unsafe(statement);
  });
}

/** Runs the hook's pod, then one of the Deployment, as the kubelet would. */
async function startPods(context: Context): Promise<void> {
  const { simulator, directory, programs } = context;
  const get = ["get", "hooks", "wheelwright", "--namespace", "wheelwright"];
  const hooks = await promisify(execFile)(helm!, get, { env: environmentOfShell(context) });
  const [job] = readObjects(hooks.stdout);
  const migrate = startProgram(["migrate"], environmentOf(context, job));
  assert.is(await migrate.ended, 0, migrate.lines.join("\n"));
  const [deployment] = simulator.objects("Deployment").filter(({ metadata }) => metadata.namespace === "wheelwright");
  const blueprint = join(directory, "mounted");
  await mkdir(blueprint);
  const files = simulator.objects("ConfigMap").find(({ metadata }) => metadata.name === "wheelwright-files")!;
  for (const [name, text] of Object.entries<string>(files["data"])) await writeFile(join(blueprint, name), text);
  assert.equal(await readdir(blueprint), ["surroundings.yaml"]);
  await writeFile(join(directory, "account.yaml"), simulator.kubeconfig(SERVICE_ACCOUNT));
  const program = startProgram(["serve"], {
    ...environmentOf(context, deployment),
    ...{ HOST: "127.0.0.1", PORT: "0", METRICS_PORT: "", PUBLIC_URL: "http://localhost", LOG_FORMAT: "json" },
    ...{ KUBECONFIG: join(directory, "account.yaml"), BLUEPRINT_DIR: blueprint },
  });
  programs.push(program);
  const port = /127\.0\.0\.1:(\d+)/.exec(await program.said(/Listening on/))![1];
  await writeFile(join(directory, "url"), `http://127.0.0.1:${port}\n`);
}

/** Makes Helm store releases in the database, because the simulated cluster cannot read Helm's Secrets. */
function environmentOfShell({ db, directory }: Context): Record<string, string> {
  const sql = new URL(db.url), { DENO_DIR } = process.env;
  sql.searchParams.set("sslmode", "disable");
  return {
    PATH: `${join(directory, "bin")}:${process.env.PATH}`,
    HOME: directory,
    KUBECONFIG: join(directory, "k3s.yaml"),
    HELM_DRIVER: "sql",
    HELM_DRIVER_SQL_CONNECTION_STRING: sql.href,
    ...(DENO_DIR && { DENO_DIR }),
  };
}

/** Returns the variables of an object's container, from its own list, ConfigMaps and Secrets. */
function environmentOf({ simulator }: Context, { spec }: Json): Record<string, string> {
  const [{ envFrom, env = [] }] = spec.template.spec.containers;
  const variables: Record<string, string> = {};
  for (const { configMapRef, secretRef } of envFrom) {
    const [kind, { name }] = configMapRef ? ["ConfigMap", configMapRef] : ["Secret", secretRef];
    const { data } = simulator.objects(kind).find(({ metadata }) => metadata.name === name)!;
    for (const [key, value] of Object.entries<string>(data)) {
      variables[key] = kind === "Secret" ? Buffer.from(value, "base64").toString() : value;
    }
  }
  for (const { name, value } of env) variables[name] = value;
  return variables;
}

test.run();
