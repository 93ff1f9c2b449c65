import { resolveVersionAlias } from "#lib/domains/spokes/views.ts";
import { parseActionParameters } from "#lib/operations/parameters.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { Fault } from "#lib/base/errors.ts";
import { NO_ADDONS } from "#lib/catalog/addons.ts";
import { requireActionEffect } from "#lib/domains/spokes/actions.ts";
import type { SpokeAction } from "#lib/domains/spokes/views.ts";
import { builtIn } from "#test/lib/moodle/fixtures.ts";

/** Creates a catalog with these versions. Each image is named after its version, unless given. */
function catalogueOf(...versions: (string | [name: string, image: string])[]): Catalog {
  const listed = versions.map((each) => typeof each === "string" ? [each, `moodle:v${each}`] : each).map((
    [name, image],
  ) => `  "${name}": { image: "${image}", fpmDirectory: /etc/php }`);
  const families = 'families: [{ from: "0", image: "moodle:v${VERSION}", fpmDirectory: /etc/php }]';
  const images = ["postgres: postgres:17", "versions:", ...listed, families].join("\n");
  return loadCatalog(undefined, createBlueprint(builtIn({ "images.yaml": images })));
}

/** Returns a spoke of this version, created when it had this image. */
function spokeOf(lmsVersion: string, image = `moodle:v${lmsVersion}`) {
  return { lmsVersion, blueprintInputs: { images: { moodle: image } } as SpokeInputs };
}

function outcomeOf(work: () => unknown): string {
  try {
    work();
    return "accepted";
  } catch (error) {
    assert.instance(error, Fault);
    return `${(error as Fault).kind} ${(error as Fault).code}: ${(error as Fault).message}`;
  }
}

function upgradeOf(catalog: Catalog, spoke: ReturnType<typeof spokeOf>, lmsVersion: string): string {
  const request = { action: "upgrade", parameters: { lmsVersion, skipBackup: false } } as const;
  return outcomeOf(() => requireActionEffect({ catalog }, spoke, { size: "small", siteAddons: NO_ADDONS }, request));
}

const parameters = suite("action parameters");

parameters("contain only what the operation needs", () => {
  const catalog = catalogueOf("4.5.12", "4.5.13");
  const read = (request: SpokeAction) => parseActionParameters(catalog, request.action, resolveVersionAlias(request));
  assert.equal(read({ action: "upgrade", moodleVersion: "4.5.13", size: "large" }), {
    lmsVersion: "4.5.13",
  });
  assert.equal(read({ action: "upgrade", lmsVersion: "4.5", moodleVersion: "4.5", skipBackup: true }), {
    lmsVersion: "4.5",
    skipBackup: true,
  });
  assert.equal(read({ action: "resize", size: "large", lmsVersion: "4.5.13" }), { size: "large" });
  assert.equal(read({ action: "suspend", size: "nonsense", lmsVersion: "4.5.13" }), {});
});

parameters("are refused if missing, contradictory or not in the catalog", () => {
  const file = "versions: [{ name: 4.5.12 }]\nsizes: [{ name: small }]\n".replace("4.5.12", '"4.5.12"');
  const catalog = loadCatalog(file, createBlueprint(builtIn()));
  const outcome = (request: SpokeAction) =>
    outcomeOf(() => parseActionParameters(catalog, request.action, resolveVersionAlias(request)));
  assert.is(
    outcome({ action: "upgrade", size: "small" }),
    "invalid parameter_needed: lmsVersion is required to upgrade: the target version",
  );
  assert.is(outcome({ action: "resize" }), "invalid parameter_needed: size is required to resize: the new size");
  assert.match(outcome({ action: "upgrade", lmsVersion: "4.5.12", moodleVersion: "5" }), "invalid version_mismatch");
  assert.is(
    outcome({ action: "upgrade", lmsVersion: "5.2.2" }),
    "invalid not_offered: lmsVersion must be one of 4.5.12",
  );
  assert.is(outcome({ action: "resize", size: "large" }), "invalid not_offered: size must be one of small");
});

parameters.run();

const progress = suite("requireProgress");

progress("allow an upgrade to a newer version only", () => {
  const catalog = catalogueOf("4.5.12", "4.5.13", "5.2.2");
  assert.is(upgradeOf(catalog, spokeOf("4.5.12"), "4.5.13"), "accepted");
  assert.is(upgradeOf(catalog, spokeOf("4.5.12"), "5.2"), "accepted");
  assert.is(
    upgradeOf(catalog, spokeOf("4.5.13"), "4.5.13"),
    "conflict version_unchanged: Cannot upgrade to 4.5.13: the spoke already runs 4.5.13",
  );
  assert.is(
    upgradeOf(catalog, spokeOf("4.5.13"), "4.5.12"),
    "impossible version_not_newer: Cannot upgrade to 4.5.12: the spoke runs 4.5.13, and Moodle cannot be downgraded",
  );
  assert.match(upgradeOf(catalog, spokeOf("4.5.9"), "4.4"), "impossible"); // neither version is listed
  assert.match(upgradeOf(catalog, spokeOf("4.5.13"), "4.5.9"), "impossible");
});

progress("compare the versions that the catalog resolves to, then and now", () => {
  const catalog = catalogueOf("4.5.12", "4.5.13", "5.2.2");
  const old = spokeOf("4.5", "moodle:v4.5.12"), today = spokeOf("4.5", "moodle:v4.5.13");
  assert.is(upgradeOf(catalog, old, "4.5"), "accepted"); // a newer 4.5 was released
  assert.is(upgradeOf(catalog, old, "4.5.13"), "accepted");
  assert.match(upgradeOf(catalog, old, "4.5.12"), "the spoke already runs 4.5.12");
  assert.match(upgradeOf(catalog, today, "4.5"), "the spoke already runs 4.5.13");
  assert.match(upgradeOf(catalog, today, "4.5.12"), "the spoke runs 4.5.13, and");
  assert.match(upgradeOf(catalog, spokeOf("5", "moodle:v5.2.2"), "4.5"), "the spoke runs 5.2.2, and");
  assert.is(upgradeOf(catalog, spokeOf("4.5.12"), "4.5"), "accepted");
  assert.match(upgradeOf(catalog, spokeOf("4.5.13"), "4.5"), "the spoke already runs 4.5.13");
  assert.match(upgradeOf(catalogueOf("4.5.12"), spokeOf("4.5.13"), "4.5"), "the spoke runs 4.5.13, and"); // version withdrawn
});

progress("allow another image of the same version, and a version line without a known release", () => {
  assert.is(upgradeOf(catalogueOf(["4.5.12", "mirror/moodle:v4.5.12"]), spokeOf("4.5.12"), "4.5.12"), "accepted");
  assert.is(upgradeOf(catalogueOf(["4.5", "moodle:v4.5.13"]), spokeOf("4.5", "moodle:v4.5.12"), "4.5"), "accepted");
  assert.is(upgradeOf(catalogueOf(["4.5", "moodle:v4.5.13"]), spokeOf("4.5.12"), "4.5"), "accepted");
  assert.match(upgradeOf(catalogueOf(["4", "moodle:v4.5.13"]), spokeOf("5.0"), "4"), "impossible");
});

progress("allow a size other than the one after queued operations", () => {
  const catalog = catalogueOf("4.5.12");
  const to = (size: string, has: string) =>
    outcomeOf(() =>
      requireActionEffect({ catalog }, spokeOf("4.5.12"), { size: has, siteAddons: NO_ADDONS }, {
        action: "resize",
        parameters: { size },
      })
    );
  assert.is(to("large", "small"), "accepted");
  assert.is(to("small", "large"), "accepted");
  assert.is(
    to("small", "small"),
    "impossible size_unchanged: Cannot resize to small: the spoke already has this size",
  );
});

progress.run();
