/** Runs the commands of docs/reconciling.md after the database was lost and restored from its backup. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { writeSiteRecords } from "#test/lib/recovery/adoption/restored-database.ts";
import { makeApp } from "#test/lib/workers/scene.ts";
import { openTestDatabase } from "#test/support/database.ts";
import {
  canRunExamples,
  findOutputMismatch,
  parseExampleBlocks,
  runExamples,
  WHEELWRIGHT_SHELL_FUNCTION,
} from "#test/support/examples.ts";
import { findFreePort } from "#test/support/free-port.ts";
import { startProgram } from "#test/support/program.ts";
import { openScene } from "../lib/doctor/scene.ts";

const PAGE = new URL("../../docs/reconciling.md", import.meta.url);
const PASSWORD = "correct horse battery staple";

/** Creates what the page assumes: a backup, and changes after it. */
const BEFORE = `set -e
wheelwright login $PUBLIC_URL --email ann@example.org
wheelwright hubs create north
wheelwright spokes create north/ash north/oak
wheelwright backup ../wheelwright.backup
wheelwright spokes create north/new
wheelwright spokes resize north/ash --size large
wheelwright spokes destroy north/oak --yes
`;

const test = suite("docs/reconciling.md");
const example = canRunExamples ? test : test.skip;

example("the commands adopt what changed since the backup, and print the blocks below them", async () => {
  const parent = await mkdtemp(join(tmpdir(), "wheelwright-reconciling-")), directory = join(parent, "clone");
  await mkdir(directory);
  const db = await openTestDatabase(),
    scene = await openScene(),
    { app, close } = await makeApp(
      db,
      scene.simulator.kubeconfig(),
      SILENT_LOG,
    );
  const port = await findFreePort(),
    KUBECONFIG = join(directory, "kubeconfig"),
    PUBLIC_URL = `http://localhost:${port}`;
  const env = {
    ...{ DATABASE_URL: db.url, KUBECONFIG, PUBLIC_URL, HOST: "127.0.0.1", PORT: String(port), TEMPLATES: "off" },
    ...{
      ROOT_DOMAIN: "spokes.localhost",
      BOOTSTRAP_ADMIN_EMAIL: "ann@example.org",
      BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    },
  };
  const within = (more: object) =>
    WHEELWRIGHT_SHELL_FUNCTION.replace("PASSWORD", PASSWORD) +
    Object.entries({ ...env, ...more }).map(([name, value]) => `export ${name}='${value}'\n`).join("");
  try {
    await writeFile(KUBECONFIG, scene.simulator.kubeconfig());
    const program = startProgram(["serve"], env);
    await program.said(/Listening on /);
    const [made] = (await runExamples(directory, [{ language: "sh", how: "", text: BEFORE }], within({}))).values();
    await program.stop("SIGKILL");
    assert.is(made!.status, 0, made!.text);
    await writeSiteRecords(app);

    const blocks = parseExampleBlocks(await readFile(PAGE, "utf8")), DATABASE_URL = await db.freshUrl();
    const printed = await runExamples(directory, blocks, within({ DATABASE_URL }));
    const misses = [...printed].flatMap(([i, { text, status }]) => {
      const { how, text: command } = blocks[i]!, below = blocks[i + 1];
      const miss = below?.language === "" ? findOutputMismatch(below, text) : null;
      return how.includes("aside") || status === 0 && miss === null ? [] : [`${command}${text}${status}, ${miss}`];
    });
    assert.is(misses.join("\n"), "");
    assert.ok(printed.size >= 5);
  } finally {
    await close();
    await scene.close();
    await db.close();
    await rm(parent, { recursive: true, force: true });
  }
});

test.run();
