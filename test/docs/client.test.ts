/**
 * Runs the examples of docs/client.md, in one module, against `npm start`. A block without a language below an example is its
 * expected output; `…` matches any text.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startProgram } from "#test/support/program.ts";

const PAGE = new URL("../../docs/client.md", import.meta.url);
const CLIENT = new URL("../../lib/client/client.ts", import.meta.url);
const BEFORE = "deno" in process.versions ? ["run", "--quiet", "-A"] : [];

const test = suite("docs/client.md");

test("the examples print the blocks below them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-client-"));
  const program = startProgram(["dev"], {
    ...{ PORT: "0", HOST: "127.0.0.1", DATA_DIR: directory, SIMULATOR_DELAY_MS: "0" },
  });
  try {
    const url = (await program.said(/^Listening on /)).replace("Listening on ", "");
    const password = /Password\s+(\S+)/.exec(program.lines.join("\n"))![1]!;
    const blocks = [...(await readFile(PAGE, "utf8")).matchAll(/^```(\w*)\n(.*?)^```$/gms)];
    // Prints a line before each example, so that its output can be found.
    const examples = blocks.map(([, language, text = ""], i) =>
      language === "ts" ? `console.log("#${i}");\n${text}` : ""
    );
    const source = examples.join("").replace('"@wheelwright/client"', JSON.stringify(CLIENT.href))
      .replaceAll("http://localhost:3000", url).replaceAll("PASSWORD", password);
    await writeFile(join(directory, "examples.ts"), source);
    const { status, printed, errors } = await run(join(directory, "examples.ts"));
    assert.is(status, 0, errors + printed);
    assert.ok(examples.filter(Boolean).length >= 8);
    blocks.forEach(([, language, text = ""], i) => {
      if (language !== "") return;
      const [, output = ""] = new RegExp(`^#${i - 1}\n([^]*?)(?=^#\\d+\n|$(?![^]))`, "m").exec(printed) ?? [];
      const expected = text.split("…").map((part) => RegExp.escape(part)).join("[^]*");
      assert.match(output, new RegExp(`^${expected}$`), examples[i - 1]);
    });
  } finally {
    await program.stop();
    await rm(directory, { recursive: true, force: true });
  }
});

async function run(file: string): Promise<{ status: number | null; printed: string; errors: string }> {
  const child = spawn(process.execPath, [...BEFORE, file], { stdio: ["ignore", "pipe", "pipe"] });
  const texts = { printed: "", errors: "" };
  child.stdout.on("data", (bytes) => texts.printed += bytes);
  child.stderr.on("data", (bytes) => texts.errors += bytes);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status, ...texts };
}

test.run();
