/** Tests the log: levels, both formats, bound fields, errors with their causes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { setImmediate } from "node:timers";
import { batchLogWrites, createLog, type Log, type LogLevel } from "#lib/base/log.ts";

const test = suite("createLog");

function open(level: LogLevel, format: "json" | "pretty"): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ level, format, write: (line) => lines.push(line) }), lines };
}

test("omits entries below the level", () => {
  const { log, lines } = open("warn", "json");
  log.info("quiet");
  log.error("loud");
  assert.is(lines.length, 1);
});

test("writes one line of JSON with the entry's and the bound fields", () => {
  const { log, lines } = open("info", "json");
  log.with({ requestId: "r1" }).info("Two\nlines", { n: 1 });
  const { time, ...rest } = JSON.parse(lines[0]!);
  assert.ok(!Number.isNaN(Date.parse(time)));
  assert.equal(rest, { level: "info", message: "Two\nlines", requestId: "r1", n: 1 });
  assert.is(lines[0]!.split("\n").length, 2);
});

test("writes the stack and cause of an error", () => {
  const { log, lines } = open("info", "json");
  log.error("Failed", { error: new Error("outer", { cause: new Error("inner") }) });
  const { error } = JSON.parse(lines[0]!);
  assert.is(error.message, "outer");
  assert.is(error.cause.message, "inner");
  assert.match(error.stack, /log\.test\.ts/);
});

test("redacts secrets in the message, stack and causes of an error", () => {
  const { log, lines } = open("info", "json");
  log.error("Failed", { error: new Error("denied: password=hunter2", { cause: new Error("--adminpass=hunter2") }) });
  assert.not.match(lines[0]!, "hunter2");
  assert.match(JSON.parse(lines[0]!).error.message, "denied: password=***");
  log.error("Failed", { reason: "denied: password=hunter2" });
  assert.is(JSON.parse(lines[1]!).reason, "denied: password=***");
});

test("writes no escape sequences without colours, and omits undefined fields", () => {
  const { log, lines } = open("info", "pretty");
  log.warn("Careful", { who: "ada", none: undefined });
  assert.match(lines[0]!, /^\d\d:\d\d:\d\d\.\d{3} warn {2}Careful who=ada\n$/);
  createLog({ level: "warn", format: "pretty", colours: true, write: (line) => lines.push(line) }).warn("Careful");
  assert.match(lines[1]!, "\u001b[33mwarn \u001b[0m Careful");
  assert.match(lines[0]!, /who=ada/);
  assert.not.match(lines[0]!, /none/);
});

test("batches the lines of one event loop turn into one write, in order", async () => {
  const written: string[] = [], say = batchLogWrites((text) => void written.push(text));
  say("a\n");
  say("b\n");
  assert.equal(written, []);
  await new Promise((resolve) => setImmediate(resolve));
  say("c\n");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(written, ["a\nb\n", "c\n"]);
});

test("flushes pending lines when the process exits", async () => {
  const log = new URL("../../../lib/base/log.ts", import.meta.url).href;
  const last = `import { batchLogWrites } from "${log}"; import process from "node:process";
    batchLogWrites((text) => process.stdout.write(text))("the last words\\n"); process.exit(3);`;
  const before = "deno" in process.versions ? ["eval", last] : ["--input-type=module", "--eval", last];
  const { stdout } = spawnSync(process.execPath, before, { encoding: "utf8" });
  assert.is(stdout, "the last words\n");
});

test.run();
