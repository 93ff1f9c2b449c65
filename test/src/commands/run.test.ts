/** Tests the messages and exit statuses of server commands. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentVariables } from "#lib/base/variables.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";

const test = suite("wheelwright");

async function run(line: string[], env: Record<string, string> = {}): Promise<{ status: number | null; text: string }> {
  const program = startProgram(line, env);
  const status = await program.ended;
  return { status, text: program.lines.join("\n") };
}

test("lists the commands if none is named", async () => {
  const { status, text } = await run([]);
  assert.is(status, 0);
  for (const name of ["dev", "serve", "migrate", "doctor", "simulate", "admin", "audit"]) {
    assert.match(text, new RegExp(`^ +${name} `, "m"));
  }
});

test("rejects an unknown command or option with a suggestion", async () => {
  const command = await run(["provision"]);
  assert.is(command.status, 2);
  assert.match(
    command.text,
    /^Unknown command "provision"\n\nUsage: wheelwright COMMAND\nRun 'wheelwright --help' for a list of commands\.$/,
  );
  const option = await run(["serve", "--fast"]);
  assert.is(option.status, 2);
  assert.match(option.text, /\n\nUsage: wheelwright serve\n/);
});

test("config lists every variable and whether it is set, without its value", async () => {
  const env = { PORT: "4321", SMTP_PASS_FILE: "/run/secrets/smtp", DATABASE_URL: "postgres://me:s3cret@db/name" };
  const { status, text } = await run(["config"], env);
  assert.is(status, 0);
  const rows = text.split("\n").flatMap((line) => /^ {2}([A-Z_]+) +(\S+) +(\S.*)$/.exec(line)?.slice(1) ?? []);
  const names = rows.filter((_, i) => i % 3 === 0);
  assert.equal(names, Object.keys(EnvironmentVariables.entries));
  const rowOf = (name: string) => rows.slice(rows.indexOf(name) + 1, rows.indexOf(name) + 3);
  assert.equal(rowOf("PORT"), ["set", "port to listen on (3000)"]);
  assert.equal([rowOf("SMTP_PASS")[0], rowOf("DATABASE_URL")[0], rowOf("SMTP_USER")[0]], ["file", "set", "-"]);
  assert.not.match(text, /s3cret|4321|run\/secrets/);
  assert.match((await run(["serve", "--help"])).text, /To list the variables, run 'wheelwright config'/);
});

test("serve names all missing variables, and exits with EX_CONFIG", async () => {
  const { status, text } = await run(["serve"]);
  assert.is(status, 78);
  for (const name of ["DATABASE_URL", "PUBLIC_URL", "ROOT_DOMAIN", "KUBECONFIG"]) {
    assert.match(text, new RegExp(`^ +${name} is missing`, "m"));
  }
  assert.not.match(text, /\bat .*\.ts:\d+/, "no stack");
});

test("reports an unknown user in one sentence, without a stack", async () => {
  const db = await openTestDatabase();
  const { status, text } = await run(["admin", "reset-password", "nobody@example.org"], { DATABASE_URL: db.url });
  await db.close();
  assert.is(status, 65);
  assert.match(text, /^[^\n]*nobody@example\.org[^\n]*$/);
});

test("rejects an invalid port before anything starts", async () => {
  const { status, text } = await run(["simulate", "--port", "seventy"]);
  assert.is(status, 2);
  assert.match(text, /--port must be a whole number/);
});

test.run();
