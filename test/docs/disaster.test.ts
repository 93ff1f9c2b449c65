/** Runs the commands of docs/disaster.md with a new cluster instead of the one that was lost. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestDatabase } from "#test/support/database.ts";
import {
  canRunExamples,
  type ExampleBlock,
  findOutputMismatch,
  parseExampleBlocks,
  runExamples,
  WHEELWRIGHT_SHELL_FUNCTION,
} from "#test/support/examples.ts";
import { findFreePort } from "#test/support/free-port.ts";
import { startProgram } from "#test/support/program.ts";
import { copySnapshots } from "#test/support/copy-snapshots.ts";
import { openScene } from "../lib/doctor/scene.ts";

const PAGE = new URL("../../docs/disaster.md", import.meta.url);
const PASSWORD = "correct horse battery staple";

/** Creates what the page assumes to exist before the disaster. */
const BEFORE = `wheelwright login $PUBLIC_URL --email ann@example.org
wheelwright hubs create north
wheelwright spokes create north/ash north/oak north/elm
wheelwright spokes backup north/ash north/oak
wheelwright spokes suspend north/oak
wheelwright backup ../wheelwright.backup
`;

const test = suite("docs/disaster.md");
const example = canRunExamples ? test : test.skip;

example("the commands restore all spokes in a new cluster, and print the blocks below them", async () => {
  const parent = await mkdtemp(join(tmpdir(), "wheelwright-disaster-")), directory = join(parent, "clone");
  await mkdir(directory);
  const db = await openTestDatabase(), former = await openScene(), next = await openScene();
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
  const exported = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`).join("");
  const before = WHEELWRIGHT_SHELL_FUNCTION.replace("PASSWORD", PASSWORD) + exported;
  try {
    await writeFile(KUBECONFIG, former.simulator.kubeconfig());
    const program = startProgram(["serve"], env);
    await program.said(/Listening on /);
    const [made] = (await runExamples(directory, [{ language: "sh", how: "", text: BEFORE }], before)).values();
    await program.stop("SIGKILL");
    assert.is(made!.status, 0, made!.text);
    await former.close();
    copySnapshots(former.simulator, next.simulator);
    await writeFile(KUBECONFIG, next.simulator.kubeconfig());
    await typePage(directory, `${before}export DATABASE_URL='${await db.freshUrl()}'\n`);
  } finally {
    await next.close();
    await db.close();
    await rm(parent, { recursive: true, force: true });
  }
});

async function typePage(directory: string, before: string): Promise<void> {
  const blocks: ExampleBlock[] = parseExampleBlocks(await readFile(PAGE, "utf8"));
  const typed = blocks.map((block) => /\bwheelwright [a-z]/.test(block.text) && block.language === "sh" ? block : null);
  const printed = await runExamples(directory, typed.map(withoutOtherPrograms), before);
  const misses = [...printed].flatMap(([i, { text, status }]) => {
    const { how, text: command } = blocks[i]!, below = blocks[i + 1];
    const miss = below?.language === "" ? findOutputMismatch(below, text) : null;
    return how.includes("aside") || status === 0 && miss === null ? [] : [`${command}${text}${status}, ${miss}`];
  });
  assert.ok(printed.size >= 8);
  assert.is(misses.join("\n"), "");
}

/** Returns null for blocks that call programs other than Wheelwright. */
function withoutOtherPrograms(block: ExampleBlock | null): ExampleBlock | null {
  return block && /^(?:gpg|kubectl|docker) /m.test(block.text) ? null : block;
}

test.run();
