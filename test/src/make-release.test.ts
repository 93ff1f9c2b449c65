/**
 * Tests releases of a small repository with fast scripts. test/executable/check.ts tests a release of this repository.
 */
import { execFile } from "node:child_process";
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const PROGRAM = fileURLToPath(new URL("../../src/make-release.ts", import.meta.url));
const LOG = "# Changelog\n\n## Unreleased\n\n- **API**: New.\n\n## 0.1.0 (2026-01-31)\n\n- First.\n";
/** A build script whose executable prints its version and commit. */
const BUILD =
  `set -e; [ "$1" != sbom ] || { echo {}; exit; }; mkdir dist; v=$(node -p 'require("./package.json").version')
printf '#!/bin/sh\\n# '"$2"'\\necho wheelwright '"$v"'\\n' >dist/wheelwright; chmod +x dist/wheelwright`;
const GENERATE = `case $1 in
  tools) ;;
  contract) cp surface.txt released.txt ;;
  *) cp CHANGELOG.md generated.txt ;;
esac`;
/** The names of this machine's architecture and of the other one in releases. */
const [OWN, OTHER] = process.arch === "arm64" ? ["arm64", "amd64"] : ["amd64", "arm64"];
/** A buildah that builds images only for this machine's architecture, as without emulation. */
const BUILDAH = `#!/bin/sh
case "$*" in
  build*${OTHER}*) echo "exec format error" >&2; exit 1 ;;
  *"--build-arg BASE_IMAGE=mine"*) ;;
  build*) echo "which base image?" >&2; exit 1 ;;
  push*) file=\${4#docker-archive:}; echo image >"\${file%%:*}" ;;
esac`;

interface Scene {
  directory: string;
}

const test = suite<Scene>("npm run build -- release");

test.before.each(async (scene) => {
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-small-"));
  const scripts = { build: "sh build.sh", generate: "sh generate.sh" };
  const about = { name: "small", version: "0.1.0", private: true, scripts };
  const node = (name: string) => ({
    [`node_modules/node-linux-${name}`]: { version: "1.0.0", integrity: "x", optional: true },
  });
  const packages = { "": about, ...node("arm64"), ...node("x64") };
  const files = {
    "package.json": about,
    "package-lock.json": { ...about, lockfileVersion: 3, packages },
    "deno.json": { version: "0.1.0" },
    "CHANGELOG.md": LOG,
    "build.sh": BUILD,
    "generate.sh": GENERATE,
    "surface.txt": "new\n",
    "released.txt": "old\n",
    "generated.txt": "",
    ".gitignore": "dist/\nnode_modules/\ntools/\n",
    "tools/buildah": BUILDAH,
  };
  await mkdir(join(scene.directory, "tools"));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(
      join(scene.directory, name),
      typeof content === "string" ? content : JSON.stringify(content, null, 2),
    );
  }
  await chmod(join(scene.directory, "tools/buildah"), 0o755);
  await git(scene, "init", "--quiet", "--initial-branch=main");
  await git(scene, "add", ".");
  await git(scene, "commit", "--quiet", "--message=First");
});
test.after.each(({ directory }) => rm(directory, { recursive: true }));

/** Runs the release without a registry. */
function run({ directory }: Scene, program: string, ...line: string[]): Promise<{ status: number; text: string }> {
  const who = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@school.example", GIT_CONFIG_GLOBAL: "/dev/null" };
  const env = {
    ...process.env,
    ...{ ...who, GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@school.example" },
    ...{ PATH: `${directory}/tools:${process.env["PATH"]}`, npm_config_registry: "http://127.0.0.1:1/" },
    ...{ npm_config_fetch_retries: "0", npm_config_cache: join(directory, "dist/cache") },
  };
  return new Promise((resolve) =>
    execFile(
      program,
      line,
      { cwd: directory, env },
      (error, stdout, stderr) => resolve({ status: Number(error?.code ?? 0), text: stdout + stderr }),
    )
  );
}

async function git(scene: Scene, ...line: string[]): Promise<string> {
  const { status, text } = await run(scene, "git", ...line);
  assert.is(status, 0, text);
  return text.trim();
}

const release = (scene: Scene, ...line: string[]) => run(scene, process.execPath, PROGRAM, ...line);

/** Returns everything that a release could change. */
async function stateOf(scene: Scene): Promise<string> {
  return (await Promise.all([
    git(scene, "log", "--oneline"),
    git(scene, "tag"),
    git(scene, "worktree", "list"),
    git(scene, "status", "--porcelain"),
  ])).join("\n");
}

const REFUSED: [what: string, version: string, prepare: (scene: Scene) => Promise<unknown>, says: RegExp][] = [
  ["without a version", "", async () => {}, /^Pass the version/],
  ["with an invalid version", "v0.2", async () => {}, /^Pass the version/],
  [
    "with a changed file",
    "0.2.0",
    ({ directory }) => writeFile(join(directory, "build.sh"), ""),
    /^Commit or stash.*\nM build.sh/,
  ],
  ["with an untracked file", "0.2.0", ({ directory }) => writeFile(join(directory, "new"), ""), /\n\?\? new/],
  ["with an existing tag", "0.2.0", (scene) => git(scene, "tag", "v0.2.0"), /^The tag v0\.2\.0 already exists/],
  ["with the last version", "0.1.0", async () => {}, /^0.1.0 is not above 0.1.0/],
  ["with an older version", "0.0.9", async () => {}, /^0.0.9 is not above 0.1.0/],
  ["without changes", "0.2.0", async (scene) => {
    await writeFile(join(scene.directory, "CHANGELOG.md"), LOG.replace("- **API**: New.\n\n", ""));
    await git(scene, "commit", "--all", "--quiet", "--message=Nothing");
  }, /^CHANGELOG.md has no entries under Unreleased/],
];

for (const [what, version, prepare, says] of REFUSED) {
  test(`makes no release ${what}`, async (scene) => {
    await prepare(scene);
    const before = await stateOf(scene), { status, text } = await release(scene, version, "--write");
    assert.is(status, 1);
    assert.match(text, says);
    assert.is(await stateOf(scene), before);
  });
}

test("builds what it can, reports what it cannot, and commits only with --write", async (scene) => {
  const before = await stateOf(scene),
    { status, text } = await release(scene, "0.2.0", "--build-arg", "BASE_IMAGE=mine");
  assert.is(status, 0, text);
  assert.is(await stateOf(scene), before);
  const made = join(scene.directory, "dist/0.2.0"), name = "wheelwright-0.2.0";
  assert.equal((await readdir(made)).sort(), [
    ...["NOTES.md", "SHA256SUMS", `${name}-linux-${OWN}`, `${name}-linux-${OWN}.tar`, `${name}.cdx.json`],
  ]);
  assert.is(await readFile(join(made, "NOTES.md"), "utf8"), "- **API**: New.\n");
  assert.is((await run({ directory: made }, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")).text, "");
  assert.is((await readFile(join(made, "SHA256SUMS"), "utf8")).split("\n").length, 5, "each file but itself");
  assert.match(text, `Not built: the executable for ${OTHER}: npm pack --json ended`);
  assert.match(text, `Not built: the image for ${OTHER}: buildah build --quiet ended with 1: exec format error`);
  assert.not.match(text, new RegExp(`Not built: .* for ${OWN}`));
});

test("commits and tags with --write, and builds from that commit", async (scene) => {
  const { status, text } = await release(scene, "0.2.0", "--write");
  assert.is(status, 0, text);
  const day = new Date().toISOString().slice(0, 10),
    read = (name: string) => readFile(join(scene.directory, name), "utf8");
  assert.is(await read("CHANGELOG.md"), LOG.replace("## Unreleased\n", `## Unreleased\n\n## 0.2.0 (${day})\n`));
  assert.is(await read("generated.txt"), await read("CHANGELOG.md"));
  assert.is(await read("released.txt"), "new\n");
  const versions = ["package.json", "package-lock.json", "deno.json"].map(async (name) =>
    JSON.parse(await read(name)).version
  );
  assert.equal(await Promise.all(versions), ["0.2.0", "0.2.0", "0.2.0"]);
  const head = await git(scene, "rev-parse", "HEAD"),
    executable = await read(`dist/0.2.0/wheelwright-0.2.0-linux-${OWN}`);
  assert.is(await git(scene, "rev-parse", "v0.2.0^{commit}"), head);
  assert.match(executable, `# ${head}`);
  assert.is(await git(scene, "tag", "--list", "--format=%(contents)"), "Release 0.2.0\n\n- **API**: New.");
  assert.is(await git(scene, "log", "--format=%s"), "Release 0.2.0\nFirst");
  assert.is(await git(scene, "status", "--porcelain"), "");
  assert.match((await release(scene, "0.2.1")).text, /^CHANGELOG.md has no entries under Unreleased/);
});

test("leaves no files behind if a build step fails", async (scene) => {
  await rm(join(scene.directory, "surface.txt"));
  await git(scene, "commit", "--all", "--quiet", "--message=Broken");
  const before = await stateOf(scene), { status, text } = await release(scene, "0.2.0", "--write");
  assert.is(status, 1);
  assert.match(text, /^npm run generate ended with 1: /);
  assert.is(await stateOf(scene), before);
  assert.is(await access(join(scene.directory, "dist/0.2.0")).catch(({ code }) => code), "ENOENT");
});

test.run();
