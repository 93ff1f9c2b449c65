/**
 * Builds a release from the repository in the current directory: executables, images, bill of materials, notes and
 * checksums in dist/VERSION.
 *
 *   npm run build -- release 0.2.0              builds everything, and leaves the branch unchanged
 *   npm run build -- release 0.2.0 --write      also adds the release's commit and tag to the branch, without pushing them
 *
 * `--build-arg BASE_IMAGE=…` and `--build-arg BUILD_IMAGE=…` are passed on to Containerfile.
 *
 * Builds from a new commit in a temporary work tree, so that the tag matches the artifacts exactly. A failed release
 * leaves the branch unchanged. If this machine cannot build an artifact, the output lists the artifact and the reason.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { releaseUnreleasedEntries } from "#lib/domains/changelog/releases.ts";

const REPOSITORY = process.cwd();
/** Supported architectures. Each entry has the name used by container images and the name used by Node. */
const ARCHITECTURES = [["amd64", "x64"], ["arm64", "arm64"]] as const;

interface Release {
  readonly version: string;
  readonly commit: string;
  /** Build arguments for the container image, each in the form NAME=VALUE. */
  readonly buildArgs: readonly string[];
}

async function main(line: string[]): Promise<void> {
  const { values: { write, "build-arg": buildArgs = [] }, positionals } = parseArgs({
    args: line,
    allowPositionals: true,
    options: { write: { type: "boolean" }, "build-arg": { type: "string", multiple: true } },
  });
  const version = positionals[0] ?? "", day = new Date().toISOString().slice(0, 10);
  const { text, notes } = await prepareNotes(version, day);
  const worktree = await mkdtemp(join(tmpdir(), "wheelwright-release-")), target = join(REPOSITORY, "dist", version);
  await git("worktree", "add", "--quiet", "--detach", worktree);
  try {
    const commit = await commitRelease(worktree, version, text);
    await rm(target, { recursive: true, force: true });
    await mkdir(target, { recursive: true });
    await writeFile(join(target, "NOTES.md"), notes);
    const missing = await buildAll(worktree, target, { version, commit, buildArgs });
    const sums = await sumsOf(target);
    await writeFile(join(target, "SHA256SUMS"), sums);
    say(`\n${sums}${missing.map((one) => `Not built: ${one}\n`).join("")}\n${notes}`);
    if (!write) return say(`Release ${version} is in ${target}. To commit and tag the release, add --write`);
    await git("merge", "--quiet", "--ff-only", commit);
    await git(
      "tag",
      "--annotate",
      "--cleanup=verbatim",
      `--message=Release ${version}\n\n${notes}`,
      `v${version}`,
      commit,
    );
    say(`Committed and tagged release ${version}. To publish the release, run: git push --follow-tags`);
  } finally {
    await git("worktree", "remove", "--force", worktree);
  }
}

/** Returns the changelog with this release added, and the release notes. Throws if a release is not possible. */
async function prepareNotes(version: string, day: string): Promise<{ text: string; notes: string }> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    throw new Error("Pass the version, for example: npm run build -- release 0.2.0");
  }
  const dirty = await git("status", "--porcelain");
  if (dirty) throw new Error(`Commit or stash your changes first:\n${dirty}`);
  if (await git("tag", "--list", `v${version}`)) throw new Error(`The tag v${version} already exists`);
  return releaseUnreleasedEntries(await readFile(join(REPOSITORY, "CHANGELOG.md"), "utf8"), version, day);
}

/** Sets the version in package.json and all files that repeat the version, commits, and returns the commit hash. */
async function commitRelease(worktree: string, version: string, changelog: string): Promise<string> {
  const npm = (...line: string[]) => run("npm", line, worktree);
  await npm("ci", "--ignore-scripts", "--no-audit", "--no-fund");
  await npm("version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts");
  const deno = join(worktree, "deno.json"), settings = await readFile(deno, "utf8");
  await writeFile(deno, settings.replace(/(?<="version": ")[^"]*/, version));
  await writeFile(join(worktree, "CHANGELOG.md"), changelog);
  await npm("run", "generate", "--", "contract");
  await npm("run", "generate", "--", "tools"); // the deployment manifests need these tools
  await npm("run", "generate");
  await run("git", ["commit", "--quiet", "--all", `--message=Release ${version}`], worktree);
  return await run("git", ["rev-parse", "HEAD"], worktree);
}

/** Builds all artifacts. Returns the artifacts that could not be built, each with the reason. */
async function buildAll(worktree: string, target: string, release: Release): Promise<string[]> {
  const { version, commit } = release;
  const missing: string[] = [];
  for (const [name, architecture] of ARCHITECTURES) {
    const file = join(target, `wheelwright-${version}-linux-${name}`);
    const own = process.platform === "linux" && process.arch === architecture;
    const attempt = (what: string, work: Promise<unknown>) =>
      work.catch(({ message }) => missing.push(`the ${what} for ${name}: ${message}`));
    say(`Building for ${name}`);
    await attempt("executable", buildExecutable(worktree, file, commit, own ? null : architecture));
    if (own) {
      const reportedVersion = await run(file, ["--version"], target);
      if (reportedVersion !== `wheelwright ${version}`) {
        throw new Error(`The executable reports "${reportedVersion}" as its version`);
      }
    }
    await attempt("image", buildImage(worktree, `${file}.tar`, name, release));
  }
  await writeFile(
    join(target, `wheelwright-${version}.cdx.json`),
    await run("npm", ["run", "--silent", "build", "--", "sbom"], worktree),
  );
  return missing;
}

async function buildExecutable(
  worktree: string,
  file: string,
  commit: string,
  architecture: string | null,
): Promise<void> {
  const node = architecture ? ["--node", await fetchNode(worktree, `node-linux-${architecture}`)] : [];
  await run("npm", ["run", "build", "--", "--commit", commit, ...node], worktree);
  await copyFile(join(worktree, "dist/wheelwright"), file);
}

/** Downloads Node, as pinned in package-lock.json, for an architecture that differs from this machine's. */
async function fetchNode(worktree: string, name: string): Promise<string> {
  const { version, integrity } = JSON.parse(await readFile(join(worktree, "package-lock.json"), "utf8"))
    .packages[`node_modules/${name}`];
  const [archive] = JSON.parse(await run("npm", ["pack", "--json", `${name}@${version}`], worktree));
  if (archive.integrity !== integrity) throw new Error(`${name} does not match package-lock.json`);
  await run("tar", ["--extract", "--file", archive.filename], worktree);
  return join(worktree, "package/bin/node");
}

/** Builds an image archive for `podman load` and `docker load`. Uses the commit's time to make builds reproducible. */
async function buildImage(
  worktree: string,
  file: string,
  architecture: string,
  { version, commit, buildArgs }: Release,
): Promise<void> {
  const name = `localhost/wheelwright:${version}-${architecture}`;
  const time = await run("git", ["show", "--no-patch", "--format=%ct", commit], worktree);
  const about = ["--platform", `linux/${architecture}`, "--format", "docker", "--timestamp", time];
  const values = [`COMMIT=${commit}`, ...buildArgs].flatMap((one) => ["--build-arg", one]);
  await run("buildah", ["build", "--quiet", ...about, ...values, "--tag", name, "."], worktree);
  await run("buildah", ["push", "--quiet", name, `docker-archive:${file}:wheelwright:${version}`], worktree);
}

/** Returns one line per file, with its checksum, in the format that `sha256sum --check` reads. */
async function sumsOf(directory: string): Promise<string> {
  const lines: string[] = [];
  for (const name of (await readdir(directory)).sort()) {
    const sum = createHash("sha256").update(await readFile(join(directory, name))).digest("hex");
    lines.push(`${sum}  ${name}\n`);
  }
  return lines.join("");
}

function git(...line: string[]): Promise<string> {
  return run("git", line, REPOSITORY);
}

/** Runs a program and returns its standard output. If it fails, throws an Error with its last lines of output. */
async function run(program: string, line: readonly string[], cwd: string): Promise<string> {
  try {
    return (await promisify(execFile)(program, line, { cwd, maxBuffer: 2 ** 26 })).stdout.trim();
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code: unknown; stdout?: string; stderr?: string };
    if (code === "ENOENT") throw new Error(`${program} is not installed`);
    const words = `${stdout}\n${stderr}`.trim().split("\n").slice(-8).join("\n");
    throw new Error(`${program} ${line.slice(0, 2).join(" ")} ended with ${code}: ${words}`);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
