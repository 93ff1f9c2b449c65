/** Follows the trial in docs/signing-in.md: starts the test provider with its command, and signs in. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseProviders } from "#lib/openid/load.ts";
import { createBrowser } from "#test/support/provider-sign-in.ts";
import { openScene } from "#test/support/scene.ts";

const test = suite("docs/signing-in.md");
const ROOT = new URL("../../", import.meta.url);

test("has an example that the program accepts", async () => {
  const page = await readFile(new URL("docs/signing-in.md", ROOT), "utf8");
  const [contoso] = parseProviders(/```yaml\n([\s\S]*?)```/.exec(page)![1]!);
  assert.equal([contoso!.id, contoso!.roles["hub-*"]], ["contoso", { hubAdmin: "*" }]);
  assert.match(page, "node test/sign-in-trial.ts");
});

test("leads from the test provider to a signed-in operator", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-test-")), file = join(directory, "providers.json");
  const provider = spawn(process.execPath, [...runOptions(), "test/sign-in-trial.ts", file, "0"], { cwd: ROOT });
  try {
    await once(provider.stdout, "data"); // the program's only line, printed when the provider is ready
    const scene = await openScene({ env: { SIGN_IN_PROVIDERS: file, PORTAL: "on" } }), browser = createBrowser(scene);
    const answer = await browser.get(await browser.reachCallback({ id: "trial" }));
    assert.equal([answer.status, answer.headers.get("location")], [303, "/hubs"]);
    const { body: { user } } = await browser.get("/api/auth/me");
    assert.equal([user.email, user.role, user.displayName], ["ada@school.example", "operator", "Ada Lovelace"]);
    await scene.close();
  } finally {
    provider.kill();
    await rm(directory, { recursive: true, force: true });
  }
});

/** Returns the arguments with which the runtime runs a program. */
function runOptions(): readonly string[] {
  return "Deno" in globalThis ? ["run", "-A"] : [];
}

test.run();
