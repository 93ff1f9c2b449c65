import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { rejection, until } from "#test/support/until.ts";

interface Context {
  parent: string;
  directory: string;
  opened: EmbeddedPostgres[];
  open(durable?: "durable"): Promise<EmbeddedPostgres>;
}
const test = suite<Context>("openEmbedded");

test.before.each(async (context) => {
  // mkdtemp makes it 0700: as root, the server's own user could not pass it without help.
  context.parent = await mkdtemp(join(tmpdir(), "wheelwright-embedded-"));
  const directory = context.directory = join(context.parent, "a directory with spaces", "postgres");
  const opened: EmbeddedPostgres[] = context.opened = [];
  context.open = async (durable) => {
    const server = await startEmbeddedPostgres({ directory, durable: durable === "durable", log: SILENT_LOG });
    opened.push(server);
    return server;
  };
});
test.after.each(async ({ parent, opened }) => {
  for (const server of opened) await server.stop();
  await rm(parent, { recursive: true, force: true });
});

const isUp = (url: string) => withAdminConnection(url, (sql) => sql`select 1`).then(() => true, () => false);
const write = (url: string) => withAdminConnection(url, (sql) => sql`create table kept as select 7 as value`);
const read = (url: string) => withAdminConnection(url, async (sql) => (await sql`select value from kept`)[0]!.value);

test("keeps address and data at the next start", async ({ open }) => {
  const first = await open();
  await write(first.url);
  await first.stop();
  assert.not.ok(await isUp(first.url));
  const second = await open();
  assert.is(second.url, first.url);
  assert.not.ok(second.adopted);
  assert.is(await read(second.url), 7);
});

test("reuses the server of a killed process, with its committed data", async ({ directory, open }) => {
  const script = fileURLToPath(new URL("../../support/start-embedded.ts", import.meta.url));
  const starter = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"] });
  let message = "";
  starter.stdout.on("data", (chunk) => message += chunk);
  const url = await until(() => message.endsWith("\n") && message.trim());
  await write(url);
  starter.kill("SIGKILL");
  await new Promise((resolve) => starter.once("exit", resolve));
  const server = await open();
  assert.ok(server.adopted);
  assert.is(server.url, url);
  assert.is(await read(server.url), 7);
});

test("shares one server between parallel starts, and stops it with the last user", async ({ open }) => {
  const [one, other] = await Promise.all([open("durable"), open("durable")]);
  assert.is(one.pid, other.pid);
  const visitor = Promise.withResolvers<void>(), inside = Promise.withResolvers<void>();
  const visit = withAdminConnection(
    one.url,
    async (sql) => (await sql`select 1`, inside.resolve(), await visitor.promise),
  );
  await inside.promise;
  await one.stop();
  assert.ok(await isUp(other.url));
  visitor.resolve();
  await visit;
  await other.stop();
  assert.not.ok(await isUp(other.url));
});

test("starts despite a stale postmaster.pid, even if its process ID is in use", async ({ directory, open }) => {
  const first = await open();
  await write(first.url);
  process.kill(first.pid, "SIGKILL");
  await until(async () => !await isUp(first.url));
  const path = join(directory, "data/postmaster.pid");
  const lines = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, [String(process.pid), ...lines.slice(1)].join("\n")); // alive, and no PostgreSQL
  const second = await open();
  assert.not.ok(second.adopted);
  assert.is(await read(second.url), 7);
});

test("chooses another port if the previous one is in use", async ({ directory, open }) => {
  const first = await open();
  await first.stop();
  const thief = createServer();
  await new Promise<void>((resolve) => thief.listen(Number(new URL(first.url).port), "127.0.0.1", resolve));
  const second = await open();
  assert.is.not(second.url, first.url);
  assert.is(await readFile(join(directory, "port"), "utf8"), new URL(second.url).port);
  await new Promise((resolve) => thief.close(resolve));
});

test("requires a password, which only its owner can read, and uses UTF-8", async ({ directory, open }) => {
  const { url } = await open();
  const wrong = Object.assign(new URL(url), { password: "wrong" }).href;
  assert.is((await rejection(withAdminConnection(wrong, (sql) => sql`select 1`))).code, "28P01");
  assert.is((await stat(join(directory, "password"))).mode & 0o777, 0o600);
  assert.is((await stat(directory)).mode & 0o077, 0);
  const [row] = await withAdminConnection(url, async (sql) => [
    ...await sql`select current_setting('server_encoding') as encoding,
    current_setting('listen_addresses') as addresses, 'Ä' collate "default" < 'b' as by_language`,
  ]);
  assert.equal(row, { encoding: "UTF8", addresses: "127.0.0.1", by_language: false });
});

test("reports a directory that cannot be used, with the reason", async ({ parent }) => {
  const directory = join(parent, "file");
  await writeFile(directory, "");
  const failure = await rejection(startEmbeddedPostgres({ directory, durable: false, log: SILENT_LOG }));
  assert.match(failure.message, /Cannot run PostgreSQL in .*file: /);
});

test.run();
