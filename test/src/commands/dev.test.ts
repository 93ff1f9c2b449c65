/**
 * Runs the first steps of a new user: start, sign in, create a hub and five spokes, destroy one, restart, and find
 * everything again.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ReceivedEvent, signIn, type TestClient } from "#test/support/client.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";

const test = suite<{ directory: string }>("wheelwright dev");

test.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-dev-"));
});
test.after.each((context) => rm(context.directory, { recursive: true, force: true }));

const ADMIN = { BOOTSTRAP_ADMIN_EMAIL: "ada@school.example", BOOTSTRAP_ADMIN_PASSWORD: "correct horse battery" };

/** Stops programs of failed tests, which would keep this process alive. */
const running: StartedProgram[] = [];
test.after.each(async () => {
  for (const program of running.splice(0)) {
    const { exitCode, signalCode } = program.child;
    if (exitCode === null && signalCode === null) await program.stop();
  }
});

async function start(
  directory: string,
  more: Record<string, string> = {},
): Promise<{ program: StartedProgram; url: string }> {
  const program = startProgram(["dev"], {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: directory,
    SIMULATOR_DELAY_MS: "0",
    ...more,
  });
  running.push(program);
  const line = await program.said(/^Listening on /);
  return { program, url: line.replace("Listening on ", "") };
}

/** Reads events until this many have the type. Returns all events. */
async function readEvents(
  client: TestClient,
  hub: string,
  type: string,
  count: number,
  since = 0,
): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for await (const event of client.events(hub, since)) {
    events.push(event);
    if (events.filter((each) => each.event === type).length === count) break;
  }
  return events;
}

test("installs five requested spokes one after another, and destroys one", async ({ directory }) => {
  const { program, url } = await start(directory);
  const log = program.lines.join("\n");
  const password = /Password\s+(\S+)/.exec(log)![1]!, email = /Email\s+(\S+)/.exec(log)![1]!;
  const client = await signIn(url, email, password);
  assert.is((await client.send("POST", "/api/federations", { slug: "north" })).status, 201);
  const slugs = ["ash", "birch", "cedar", "elm", "fir"];
  const made = await Promise.all(slugs.map((slug) => client.send("POST", "/api/federations/north/spokes", { slug })));
  assert.equal(made.map((answer) => [answer.status, answer.body.state]), slugs.map(() => [201, "provisioning"]));

  const events = await readEvents(client, "north", "SpokeUpdateActive", 5);
  assert.equal(events.map((event) => event.id), events.map((_, i) => i + 1));
  const steps = events.filter((event) => event.data.spokeId && event.data.operation?.step > 0).map((event) =>
    event.data.spokeId
  );
  const turns = steps.filter((spoke, i) => spoke !== steps[i - 1]);
  assert.is(turns.length, 5, "each spoke's steps come in one run");

  const spoke = made[4]!.body.id;
  assert.is((await client.send("DELETE", `/api/spokes/${spoke}`)).status, 202);
  const removal = await readEvents(client, "north", "SpokeUpdateRemoved", 1, events.at(-1)!.id);
  assert.is(removal.at(-1)!.data.spokeId, spoke);
  assert.is((await client.send("GET", `/api/spokes/${spoke}`)).status, 404);
  assert.is(await program.stop(), 0);
});

test("resumes an install after kill -9", async ({ directory }) => {
  const first = await start(directory, { ...ADMIN, SIMULATOR_DELAY_MS: "400" });
  const client = await signIn(first.url, ADMIN.BOOTSTRAP_ADMIN_EMAIL, ADMIN.BOOTSTRAP_ADMIN_PASSWORD);
  await client.send("POST", "/api/federations", { slug: "north" });
  const { body: spoke } = await client.send("POST", "/api/federations/north/spokes", { slug: "ash" });
  for await (const event of client.events("north")) if (event.data.operation?.label.startsWith("Installing")) break;
  await first.program.stop("SIGKILL");

  const second = await start(directory, ADMIN);
  const again = await signIn(second.url, ADMIN.BOOTSTRAP_ADMIN_EMAIL, ADMIN.BOOTSTRAP_ADMIN_PASSWORD);
  const events = await readEvents(again, "north", "SpokeUpdateActive", 1);
  assert.equal(events.map((event) => event.id), events.map((_, i) => i + 1));
  const { body: after } = await again.send("GET", `/api/spokes/${spoke.id}`);
  assert.equal([after.state, after.id], ["active", spoke.id]);
  assert.is(await second.program.stop(), 0);
});

test("reports a port in use before anything starts", async ({ directory }) => {
  const { program, url } = await start(directory, ADMIN);
  const other = startProgram(["dev"], {
    PORT: new URL(url).port,
    HOST: "127.0.0.1",
    DATA_DIR: join(directory, "other"),
  });
  assert.is(await other.ended, 69);
  assert.match(other.lines.join("\n"), /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use/);
  assert.is(await program.stop(), 0);
});

test("stops cleanly if Ctrl-C arrives twice at the same time, as under npm", async ({ directory }) => {
  const { program, url } = await start(directory, { ...ADMIN, SHUTDOWN_GRACE_MS: "500" });
  // An incomplete request delays the shutdown until the end of the grace period.
  const half = connect(Number(new URL(url).port), "127.0.0.1");
  half.on("error", () => {}); // it is cut off, which is the point
  half.write("POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n");
  await fetch(`${url}/api/healthz`);
  program.tell("SIGINT");
  await program.said(/Stopping/);
  assert.is(await program.stop("SIGINT"), 0);
});

test.run();
