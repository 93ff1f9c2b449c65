/** Tests that the server ignores X-Forwarded-For unless the sender is a trusted proxy. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";

const test = suite("X-Forwarded-For");

/** Sends six sign-ins, each with a different address in the header. Returns their statuses and the logged warnings. */
async function attack(more: Record<string, string>): Promise<{ statuses: number[]; warnings: string[] }> {
  const db = await openTestDatabase();
  const simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-proxy-"));
  await writeFile(join(directory, "kubeconfig"), simulator.kubeconfig());
  const program = startProgram(["serve"], {
    HOST: "127.0.0.1",
    PORT: "0",
    PUBLIC_URL: "https://hubs.example.org",
    DATABASE_URL: db.url,
    KUBECONFIG: join(directory, "kubeconfig"),
    ROOT_DOMAIN: "spokes.example.org",
    ...more,
  });
  try {
    const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(await program.said(/Listening on/))![1]!;
    const statuses: number[] = [];
    for (let i = 1; i <= 6; i++) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": `198.51.100.${i}` },
        body: JSON.stringify({ email: "ada@school.example", password: `guess number ${i}` }),
      });
      await answer.body?.cancel();
      statuses.push(answer.status);
    }
    await program.stop();
    return { statuses, warnings: program.lines.filter((line) => line.includes("X-Forwarded-For")) };
  } finally {
    if (program.child.exitCode === null && program.child.signalCode === null) await program.stop();
    await simulator.close();
    await db.close();
    await rm(directory, { recursive: true });
  }
}

test("does not bypass the sign-in limit when forged, and is logged once", async () => {
  const { statuses, warnings } = await attack({});
  assert.equal(statuses, [401, 401, 401, 401, 401, 429]);
  assert.is(warnings.length, 1, warnings.join("\n"));
  assert.match(
    warnings[0]!,
    /"level":"warn","message":"127\.0\.0\.1 sends X-Forwarded-For and is not in TRUSTED_PROXIES/,
  );
});

test("is accepted from a trusted proxy, without a warning", async () => {
  const { statuses, warnings } = await attack({ TRUSTED_PROXIES: "127.0.0.1" });
  assert.equal(statuses, [401, 401, 401, 401, 401, 401]);
  assert.equal(warnings, []);
});

test.run();
