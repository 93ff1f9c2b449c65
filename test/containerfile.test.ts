/** Checks the Containerfile. `npm test -- --image` builds the image and tries it. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { SERVER_COMMANDS } from "#src/cli/commands.ts";

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), "utf8");

const test = suite<{ containerfile: string }>("Containerfile");
test.before(async (context) => void (context.containerfile = await read("Containerfile")));

test("the image and the compose file ask after its health and start it by commands that there are", async ({ containerfile }) => {
  const { services } = parse(await read("deploy/compose.yaml"), { merge: true });
  const names = SERVER_COMMANDS.map(({ name }) => name);
  const [, check] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(containerfile)!;
  assert.equal(["CMD", ...JSON.parse(check!)], services.wheelwright.healthcheck.test);
  const [, entry] = /^ENTRYPOINT (\[.*\])$/m.exec(containerfile)!;
  assert.equal(JSON.parse(check!), [...JSON.parse(entry!), "healthcheck"]);
  const [, start] = /^CMD (\[.*\])$/m.exec(containerfile)!;
  assert.equal([...JSON.parse(start!), "healthcheck"].filter((name) => !names.includes(name)), []);
});

test("runs as a numeric non-root user and stops on SIGTERM", ({ containerfile }) => {
  assert.match(containerfile, /^USER [1-9]\d*:[1-9]\d*$/m);
  assert.match(containerfile, /^STOPSIGNAL SIGTERM$/m);
});

test("what the image is built from is what its build may see", async ({ containerfile }) => {
  const seen = [...(await read(".containerignore")).matchAll(/^!(.+)$/gm)].map(([, path]) => path!);
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) => paths!.split(" "));
  assert.equal(copied.sort(), seen.sort());
});

test.run();
