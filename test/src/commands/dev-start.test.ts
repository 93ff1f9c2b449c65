/** Tests the start and end of `wheelwright dev`: its address, its log and its cleanup. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { get } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isPostmasterRunning, readPostmasterFile } from "#lib/dev/embedded/postmaster.ts";
import { signIn } from "#test/support/client.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";

const test = suite<{ directory: string }>("the start of wheelwright dev");

test.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-dev-"));
});

const ADMIN = { BOOTSTRAP_ADMIN_EMAIL: "ada@school.example", BOOTSTRAP_ADMIN_PASSWORD: "correct horse battery" };

/** Stops programs of failed tests, which would keep this process alive and write to the removed directory. */
const running: StartedProgram[] = [];
test.after.each(async ({ directory }) => {
  for (const program of running.splice(0)) {
    const { exitCode, signalCode } = program.child;
    if (exitCode === null && signalCode === null) await program.stop();
  }
  await rm(directory, { recursive: true, force: true });
});

async function start(
  directory: string,
  more: Record<string, string> = {},
): Promise<{ program: StartedProgram; url: string }> {
  const program = startProgram(["dev"], {
    PORT: "0",
    DATA_DIR: directory,
    SIMULATOR_DELAY_MS: "0",
    ...more,
  });
  running.push(program);
  const line = await program.said(/^Listening on /);
  return { program, url: line.replace("Listening on ", "") };
}

/** Returns the PostgreSQL process of the directory, or null if none runs. */
async function postmasterOf(directory: string): Promise<number | null> {
  const found = await readPostmasterFile(await realpath(join(directory, "postgres", "data")));
  return found && await isPostmasterRunning(found.pid, await realpath(join(directory, "postgres", "data")))
    ? found.pid
    : null;
}

async function refusesOthers(url: string): Promise<void> {
  const others = Object.values(networkInterfaces()).flat().filter((each) => each?.family === "IPv4" && !each.internal);
  for (const address of ["127.0.0.2", ...others.map((each) => each!.address)]) {
    const asking = fetch(`http://${address}:${new URL(url).port}/api/healthz`);
    assert.is(await asking.then(() => "answered", () => "refused"), "refused", address);
  }
}

test("ends with PostgreSQL when its terminal closes", async ({ directory }) => {
  const { program } = await start(directory, ADMIN);
  assert.type(await postmasterOf(directory), "number");
  program.child.stdout!.destroy();
  program.child.stderr!.destroy();
  program.tell("SIGHUP");
  const ended = new Promise((resolve) => program.child.once("exit", resolve));
  assert.is(await ended, 0);
  assert.is(await postmasterOf(directory), null);
});

test("stops at Ctrl-C during the start, and leaves no PostgreSQL running", async ({ directory }) => {
  const program = startProgram(["dev"], { PORT: "0", DATA_DIR: directory });
  running.push(program);
  await program.said(/Starting PostgreSQL/);
  assert.is(await program.stop("SIGINT"), 130);
  assert.is(program.lines.at(-1), "Stopped during startup");
  assert.is(await postmasterOf(directory), null);
});

test("listens only on this machine, and logs requests and mail links, but no probes", async ({ directory }) => {
  const { program, url } = await start(directory, ADMIN);
  await refusesOthers(url);
  const client = await signIn(url, ADMIN.BOOTSTRAP_ADMIN_EMAIL, ADMIN.BOOTSTRAP_ADMIN_PASSWORD);
  const { body: { user } } = await client.send("GET", "/api/auth/me");
  const { body: hub } = await client.send("POST", "/api/federations", { slug: "north" });
  const { body: spoke } = await client.send("POST", "/api/federations/north/spokes", { slug: "ash" });
  await client.send("POST", "/api/federations/north/members", { email: "eve@school.example" });
  for (const probe of ["healthz", "readyz"]) await fetch(`${url}/api/${probe}`);
  const mail = JSON.parse(await program.said(/"Wrote an email to eve@school\.example: /));
  assert.match(mail.link, new RegExp(`^${url}/invite\\?token=`));
  const done = JSON.parse(await program.said(/"Operation succeeded".*"kind":"provision"/));
  assert.equal([done.hub, done.spoke, done.user], [hub.id, spoke.id, user.id]);
  const request = JSON.parse(await program.said(/"POST \/api\/federations\/:federationId\/spokes"/));
  assert.equal([request.hub, request.user], [hub.id, user.id]);
  assert.equal(program.lines.filter((line) => /healthz|readyz/.test(line)), []);
});

test("a sign-in link opens the simulated site, also after a restart", async ({ directory }) => {
  const first = await start(directory, ADMIN);
  const client = await signIn(first.url, ADMIN.BOOTSTRAP_ADMIN_EMAIL, ADMIN.BOOTSTRAP_ADMIN_PASSWORD);
  await client.send("POST", "/api/federations", { slug: "north" });
  const { body: spoke } = await client.send("POST", "/api/federations/north/spokes", { slug: "ash" });
  await first.program.said(/"Operation succeeded".*"kind":"provision"/);
  const { body: link } = await client.send("POST", `/api/spokes/${spoke.id}/sign-in-link`);
  const address = new URL(link.url);
  assert.is(address.hostname, "ash.spokes.localhost");
  assert.match(await pageAt(address), /Set a password/);
  await first.program.stop();
  await start(directory, ADMIN);
  assert.match(await pageAt(address), /Set a password/);
});

/** Requests a URL by IP address, because some resolvers do not know names below `localhost`. */
function pageAt({ host, port, pathname, search }: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: pathname + search, headers: { host } };
    get(options, async (response) => {
      let text = "";
      for await (const part of response) text += part;
      resolve(text);
    }).once("error", reject);
  });
}

test.run();
