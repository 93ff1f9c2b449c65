import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OPERATIONS } from "#lib/operations/table.ts";
import { findVersionRequirements } from "#lib/moodle/releases.ts";
import { parseCodeVersion, parseSiteIdentity } from "#lib/moodle/job-results.ts";
import {
  computeUpgradedInputs,
  findUpgradeProblem,
  isMoodleBranchChange,
  isSiteAtVersion,
  limitUpgradeJobTime,
  type UpgradeCheckInput,
} from "#lib/moodle/upgrade.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { edited, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const blueprint = openBlueprint();

const inputs = suite("upgradedInputs");

inputs("changes only the version and the Moodle image", () => {
  const before = inputsOf(blueprint, {
    images: { moodle: "own:4.5", postgres: "own/postgres:16", fpmDirectory: "/a" },
  });
  const after = computeUpgradedInputs(before, { version: "5.2.2", images: blueprint.findImages("5.2.2")! });
  const { version, images, ...others } = after, { version: _, images: __, ...kept } = before;
  assert.equal([version, others], ["5.2.2", kept]);
  const fpmDirectory = "/etc/php84/php-fpm.d";
  assert.equal(images, { moodle: "erseco/alpine-moodle:v5.2.2-php84", fpmDirectory, postgres: "own/postgres:16" });
});

const needs = suite("findVersionRequirements");

needs("returns the requirements of the listed version or family", () => {
  assert.equal(findVersionRequirements(blueprint.images, "5.2.2"), { postgres: 16, upgradesFrom: "4.4" });
  assert.equal(findVersionRequirements(blueprint.images, "4.5"), { postgres: 13, upgradesFrom: "4.1.2" });
  assert.equal(findVersionRequirements(blueprint.images, "5.3.1"), { postgres: 17, upgradesFrom: "4.4" });
  assert.equal(findVersionRequirements(blueprint.images, "5.1.6"), { postgres: 15, upgradesFrom: "4.2.3" });
  assert.equal(findVersionRequirements(blueprint.images, "5.0"), { postgres: 14, upgradesFrom: "4.2.3" });
  assert.equal(findVersionRequirements(blueprint.images, "4.4.9"), { postgres: null, upgradesFrom: null });
});

needs("reads requirements from the catalog and from replaced files", () => {
  const release = '{ image: "own:1", fpmDirectory: /etc/fpm, upgradesFrom: "4.4.2", postgres: 16 }';
  const catalog = loadCatalog(`versions: [{ name: "9.1", release: ${release} }, { name: "5.2.2" }]`, blueprint);
  assert.equal(catalog.requirementsOf("9.1"), { postgres: 16, upgradesFrom: "4.4.2" });
  assert.equal(catalog.requirementsOf("5.2.2"), { postgres: 16, upgradesFrom: "4.4" });
  const other = createBlueprint(edited("images.yaml", "upgradesFrom: 4.1.2", "upgradesFrom: 4.1.9"));
  assert.is(findVersionRequirements(other.images, "4.5.12").upgradesFrom, "4.1.9");
  assert.throws(
    () => createBlueprint(edited("images.yaml", "upgradesFrom: 4.1.2", "upgradesFrom: soon")),
    /versions\.4\.5\.12\.upgradesFrom must be a version/,
  );
});

const refusal = suite("findUpgradeProblem");

const OLD = { version: "2024100712", release: "4.5.12 (Build: 20261005)" };
const CODE = { version: "2026042002.00", release: "5.2.2 (Build: 20261005)" };
const facts = (changes: Partial<UpgradeCheckInput> = {}): UpgradeCheckInput => ({
  version: "5.2.2",
  requirements: { postgres: 16, upgradesFrom: "4.4" },
  postgres: "postgres:17-alpine",
  site: OLD,
  code: CODE,
  ...changes,
});
const codeOf = (changes: Partial<UpgradeCheckInput>) => findUpgradeProblem(facts(changes))?.code ?? null;

refusal("allows newer code, and the version that the database already has", () => {
  assert.is(codeOf({}), null);
  assert.is(codeOf({ site: { version: "2026042002", release: CODE.release } }), null);
  assert.is(codeOf({ site: { version: "2026042002.00", release: CODE.release } }), null);
});

refusal("compares the version numbers of image and database, not the version names", () => {
  const newer = { version: "2026042003", release: "5.2.3 (Build: 20261101)" };
  assert.is(codeOf({ site: newer }), "NotNewer");
  assert.is(codeOf({ site: newer, version: "99" }), "NotNewer");
  assert.is(codeOf({ site: { ...OLD, release: "7.0 (Build)" } }), null);
  assert.match(
    findUpgradeProblem(facts({ site: newer }))!.message,
    /Cannot upgrade to 5\.2\.2 .* already has the newer version 5\.2\.3 \(Build: 20261101\)/,
  );
});

refusal("compares the version names if the image's version number is unknown", () => {
  const site = { version: "2024100712", release: "4.5.12+ (Build: 20261005)" };
  for (
    const [version, code] of [
      ["4.5", null],
      ["4.5.12", null],
      ["4.5.11", "NotNewer"],
      ["4.4", "NotNewer"],
      ["4", null],
      ["5", null],
    ] as const
  ) {
    assert.is(
      codeOf({ code: null, site, version, requirements: { postgres: null, upgradesFrom: null } }),
      code,
      version,
    );
  }
});

refusal("rejects sites that are too old for one step", () => {
  const of = (release: string) => codeOf({ site: { version: "2020010100", release } });
  for (const release of ["4.3.9 (Build: 1)", "4.1+ (Build: 1)", "3.11.2"]) assert.is(of(release), "TooOld", release);
  for (const release of ["4.4 (Build: 1)", "4.4.0", "4.4.1+", "4.10"]) assert.is(of(release), null, release);
});

refusal("rejects an old PostgreSQL, and accepts an image tag without a version", () => {
  assert.is(codeOf({ postgres: "registry.example:5000/postgres:15.4" }), "PostgresTooOld", "a port is no version");
  assert.is(codeOf({ postgres: "postgres:15-alpine" }), "PostgresTooOld");
  assert.is(codeOf({ postgres: "postgres:16" }), null);
  assert.is(codeOf({ postgres: "postgres@sha256:abc" }), null);
});

const proof = suite("isSiteAtVersion");

proof("compares the image's release, or else the parts of the requested version", () => {
  const is = (release: string | null, version: string, code = null as UpgradeCheckInput["code"]) =>
    isSiteAtVersion({ release }, { version, code });
  assert.ok(is(CODE.release, "anything", CODE));
  assert.not.ok(is("5.2.2+ (Build: 20261101)", "5.2.2", CODE));
  assert.ok(is("5.2.2+ (Build: 20261101)", "5.2.2"));
  assert.ok(is("5.2 (Build: 1)", "5.2.0"));
  assert.ok(is("4.5.12 (Build: 1)", "4.5"));
  for (const release of ["4.5.12 (Build: 1)", "5.2.1 (Build: 1)", "5.2.20", null]) {
    assert.not.ok(is(release, "5.2.2"), `${release}`);
  }
});

const step = suite("isMoodleBranchChange");

step("is true for another branch, which gets twice the time", () => {
  assert.ok(isMoodleBranchChange(OLD, "5.2.2"));
  assert.ok(isMoodleBranchChange(OLD, "4.6"));
  assert.not.ok(isMoodleBranchChange(OLD, "4.5.13"));
  assert.not.ok(isMoodleBranchChange({ release: "5.2 (Build: 1)" }, "5.2.2-php84"));
  const job = blueprint.jobObject(inputsOf(blueprint), "upgrade", "1");
  const seconds = (major: boolean) => limitUpgradeJobTime(job, major)["spec"].activeDeadlineSeconds;
  assert.equal([seconds(true), seconds(false)], [21600, 10800]);
});

step("waits for Jobs longer than their deadlines and the 30 s in which they ignore signals", () => {
  const waits = (name: string) =>
    OPERATIONS.upgrade.kind.steps.find((each) => each.name === name)!.timeout * 0.9 / 1000; // as Run.patience
  for (const [name, job] of [["prepare", "preflight"], ["migrate", "upgrade"]] as const) {
    const { activeDeadlineSeconds } = blueprint.jobObject(inputsOf(blueprint), job, "1")["spec"];
    assert.ok(waits(name) > activeDeadlineSeconds + 30, name);
  }
});

const preflight = suite<{ folder: string }>("the preflight Job");
preflight.before(async (context) => void (context.folder = await mkdtemp(join(tmpdir(), "wheelwright-preflight-"))));
preflight.after(({ folder }) => rm(folder, { recursive: true }));

/** The file version.php of a Moodle release. */
const VERSION_PHP = `<?php
defined('MOODLE_INTERNAL') || die();

$version  = 2024100712.03;              // 20241007      = branching date YYYYMMDD - do not modify!
                                        //         RR    = release increments - 00 for DEV branches.
$release  = '4.5.12+ (Build: 20260810)';// Human-friendly version name
$branch   = '405';                      // This version's branch.
$maturity = MATURITY_STABLE;            // This version's maturity level.
`;

preflight("reads version and release from the image's code, if any", async ({ folder }) => {
  const job = blueprint.jobObject(inputsOf(blueprint), "preflight", "1");
  const script: string = job["spec"].template.spec.containers[0].command.at(-1);
  const read = () => {
    const { status, stdout } = spawnSync("sh", ["-c", script.replaceAll("/usr/src/moodle", folder)], {
      encoding: "utf8",
    });
    return { status, code: parseCodeVersion(stdout.split("\n")) };
  };
  assert.equal(read(), { status: 0, code: null });
  await writeFile(join(folder, "version.php"), VERSION_PHP);
  assert.equal(read(), { status: 0, code: { version: "2024100712.03", release: "4.5.12+ (Build: 20260810)" } });
});

preflight("runs on the node of the site's volume, where the image is needed", () => {
  const { metadata, spec } = blueprint.jobObject(inputsOf(blueprint), "preflight", "1")["spec"].template;
  assert.is(metadata.labels["files-user"], "true");
  assert.ok(spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution);
  assert.is(spec.volumes, undefined);
});

const lock = suite("parseSiteIdentity");

lock("reads the end of Moodle's upgrade lock", () => {
  assert.is(parseSiteIdentity(["rolesactive|1", "upgraderunning|1795000000"]).lockedUntil, 1795000000);
  assert.is(parseSiteIdentity(["rolesactive|1"]).lockedUntil, null);
});

inputs.run();
needs.run();
refusal.run();
proof.run();
step.run();
preflight.run();
lock.run();
