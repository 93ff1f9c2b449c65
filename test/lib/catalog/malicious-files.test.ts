/** Tests malformed and malicious CATALOG files. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog, readCatalog } from "#lib/catalog/load.ts";
import { openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { rejection } from "#test/support/until.ts";

const blueprint = openBlueprint();

const text = suite("loadCatalog");

const BOMB = ["tiers: &a [x, x, x, x, x, x, x, x, x]"].concat(
  [..."bcdefghi"].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[i]}`).join(", ")}]`),
).join("\n");
const MISTAKES: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ["aliases of aliases", BOMB, /CATALOG: Excessive alias count/],
  ["an alias of itself", "tiers: &a [*a]", /CATALOG: /],
  ["a tag", "tiers: !!js/function [x]", /CATALOG: Unresolved tag/],
  ["a key twice", "tiers: [a]\ntiers: [b]", /CATALOG: Map keys must be unique at line 2/],
  ["two documents", "tiers: [a]\n---\ntiers: [b]", /CATALOG: must contain exactly one document/],
  ["nesting without end", "tiers: " + "[".repeat(200_000), /CATALOG: /],
  ["a name twice, once as an object", "modes: [open, { name: open }]", /CATALOG: modes has a name twice/],
  [
    "a course that is two things",
    `seeds: [{ name: s, courses: [{ shortname: X, demo: S, backup: { url: "https://x.org/x.mbz", sha256: ${
      "a".repeat(64)
    } } }] }]`,
    /CATALOG: seeds\.0\.courses\.0 must have backup or demo/,
  ],
  [
    "a course of a size that hurts",
    "seeds: [{ name: s, courses: [{ shortname: X, demo: XXL }] }]",
    /CATALOG: seeds\.0\.courses\.0\.demo must be XS, S or M/,
  ],
  [
    "a logo that is not known",
    "brands: [{ name: b, logo: { url: 'https://x.org/a.png' } }]",
    /CATALOG: brands\.0\.logo\.sha256 is missing/,
  ],
  [
    "an issuer that is no name",
    "regions: [{ name: r, cluster: { issuer: 'Not One' } }]",
    /CATALOG: regions\.0\.cluster\.issuer must be the name of an object/,
  ],
  [
    "a snapshot class that is no name",
    "regions: [{ name: r, cluster: { snapshotClass: '' } }]",
    /CATALOG: regions\.0\.cluster\.snapshotClass must be the name/,
  ],
];
for (const [what, file, message] of MISTAKES) {
  text(`rejects ${what}, with its field`, () => {
    assert.throws(() => loadCatalog(file, blueprint), (error: Error) => {
      assert.is(error.name, "ConfigError");
      assert.match(error.message, message);
      return true;
    });
  });
}

text("accepts Windows line endings", () => {
  assert.equal(loadCatalog("tiers:\r\n  - a\r\n  - b\r\n", blueprint).choices("tier"), ["a", "b"]);
});

const file = suite<{ directory: string }>("readCatalog");
file.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-catalog-"));
});
file.after.each(({ directory }) => rm(directory, { recursive: true }));

file("reads a file or a link, and returns undefined without a path", async ({ directory }) => {
  await writeFile(join(directory, "real"), "tiers: [a]\r\n");
  await symlink("real", join(directory, "link"));
  assert.is(await readCatalog(join(directory, "link")), "tiers: [a]\n");
  assert.is(await readCatalog(null), undefined);
});

file("rejects a file that cannot be read, with its path", async ({ directory }) => {
  await mkdir(join(directory, "directory"));
  await writeFile(join(directory, "large"), "x".repeat(10 * 2 ** 20));
  await writeFile(join(directory, "latin"), new Uint8Array([0x74, 0xe9]));
  for (
    const [name, why] of [
      ["directory", "it is a directory"],
      ["large", "it has 10485760 bytes"],
      ["latin", "not valid UTF-8"],
      ["missing", "no such file or directory"],
    ] as const
  ) {
    const error = await rejection(readCatalog(join(directory, name)));
    assert.is(error.name, "ConfigError");
    assert.ok(
      error.message.includes(`CATALOG: ${join(directory, name)} cannot be read: `) && error.message.includes(why),
      error.message,
    );
  }
});

text.run();
file.run();
