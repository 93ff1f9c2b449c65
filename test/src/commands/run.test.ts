/** The command line: what it explains, and with which status it ends. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";

const test = suite("wheelwright");

async function run(line: string[], env: Record<string, string> = {}): Promise<{ status: number | null; text: string }> {
  const program = startProgram(line, env);
  const status = await program.ended;
  return { status, text: program.lines.join("\n") };
}

test("without a command it tells which there are", async () => {
  const { status, text } = await run([]);
  assert.is(status, 0);
  for (const name of ["dev", "serve", "migrate", "doctor", "simulate", "admin", "audit"]) {
    assert.match(text, new RegExp(`^ +${name} `, "m"));
  }
});

test("an unknown command or option is refused with what would be right", async () => {
  const command = await run(["provision"]);
  assert.is(command.status, 64);
  assert.match(command.text, /There is no command "provision"/);
  const option = await run(["serve", "--fast"]);
  assert.is(option.status, 64);
  assert.match(option.text, /wheelwright serve/);
});

test("serve with nothing configured names everything that it lacks, and ends with EX_CONFIG", async () => {
  const { status, text } = await run(["serve"]);
  assert.is(status, 78);
  for (const name of ["DATABASE_URL", "PUBLIC_URL", "ROOT_DOMAIN", "KUBECONFIG"]) {
    assert.match(text, new RegExp(`^ +${name} is missing`, "m"));
  }
  assert.not.match(text, /\bat .*\.ts:\d+/, "no stack");
});

test("a user who is not there is told in one sentence, without a stack", async () => {
  const db = await openTestDatabase();
  const { status, text } = await run(["admin", "reset-password", "nobody@example.org"], { DATABASE_URL: db.url });
  await db.close();
  assert.is(status, 65);
  assert.match(text, /^[^\n]*nobody@example\.org[^\n]*$/);
});

test("a kubeconfig port that is no port is refused before anything starts", async () => {
  const { status, text } = await run(["simulate", "--port", "seventy"]);
  assert.is(status, 64);
  assert.match(text, /--port must be a whole number/);
});

test.run();
