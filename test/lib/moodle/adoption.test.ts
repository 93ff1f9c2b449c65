/** Tests what a blueprint needs to create a site from snapshots, and that site's inputs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findOriginProblem, withDisksForSnapshots } from "#lib/moodle/adoption.ts";
import type { BlueprintFiles } from "#lib/moodle/blueprint-files.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { adoptionIdOf, sitePvcNames } from "#lib/moodle/names.ts";
import { newId } from "#lib/base/ids.ts";
import * as v from "valibot";
import { SpokeInputs as Schema } from "#lib/moodle/inputs.ts";
import { allObjects, builtIn, edited, find, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const blueprint = openBlueprint();
const origin = { turn: "k5r2dg7w1x", identity: "new" } as const;
const claims = { files: "files-k5r2dg7w1x", data: "data-k5r2dg7w1x" };
const copy = (changes: Partial<SpokeInputs> = {}) => inputsOf(blueprint, { origin, ...changes });

const lack = suite("lackForOrigin");

lack("finds nothing lacking in the built-in blueprint, whatever the claims are called", () => {
  assert.is(findOriginProblem(blueprint, copy()), null);
  assert.is(findOriginProblem(blueprint, copy({ claims })), null);
});

const literal = (file: string, placeholder: string, name: string) => edited(file, `"\${${placeholder}}"`, name);
for (
  const [what, files, changes, words] of [
    [
      "makes no database its own",
      edited("database.yaml", 'initContainers: ["${ADOPT_DATABASE}"]', ""),
      {},
      /StatefulSet db/,
    ],
    ["makes no files its own", edited("app.yaml", '- "${ADOPT_FILES}"', ""), {}, /Deployment moodle .*ADOPT_FILES/],
    [
      "names the claim of the files in a Job",
      literal("purge-job.yaml", "FILES_CLAIM", "files"),
      { claims },
      /Job purge .*files/,
    ],
    [
      "names the claim of the files",
      literal("files.yaml", "FILES_CLAIM", "files"),
      { claims },
      /PersistentVolumeClaim files/,
    ],
    [
      "names the template of the database's claim",
      builtIn({ "database.yaml": builtIn()["database.yaml"]!.replaceAll('"${DATA_CLAIM_TEMPLATE}"', "data") }),
      { claims },
      /StatefulSet db .*data-db-0/,
    ],
  ] as [string, BlueprintFiles, Partial<SpokeInputs>, RegExp][]
) {
  lack(`refuses a blueprint that ${what}`, () => {
    assert.match(findOriginProblem(createBlueprint(files), copy(changes))!, words);
  });
}

lack("lets a blueprint that names the claims itself make a site on claims of the usual names", () => {
  assert.is(findOriginProblem(createBlueprint(literal("files.yaml", "FILES_CLAIM", "files")), copy()), null);
});

lack.run();

const room = suite("withRoomFor");
const GI = 2 ** 30;

room("leaves disks that hold the snapshots as they are", () => {
  assert.equal(withDisksForSnapshots(copy(), { files: 10 * GI, database: null }), copy());
});

room("gives the disks what the snapshots need, and the quota and the largest disk room for it twice", () => {
  const { resources, madeDatabaseDisk } = withDisksForSnapshots(copy(), { files: 70 * GI, database: 6 * GI + 1 });
  assert.equal(resources.disks, { files: "70Gi", database: "6145Mi" });
  assert.is(madeDatabaseDisk, undefined, "the StatefulSet is made with the disk that there is");
  assert.equal(blueprint.quotaUsage({ ...copy(), resources }).problems, []);
});

room.run();

const inputs = suite("inputs of a site from snapshots");

inputs("are read back as they were written, and a turn is any operation's end", () => {
  const whole = copy({ claims, mailHeld: true, origin: { turn: adoptionIdOf(newId("op")), identity: "same" } });
  assert.equal(v.parse(Schema, JSON.parse(JSON.stringify(whole))), whole);
});

inputs("name the claims, which are the usual ones where they do not", () => {
  assert.equal(sitePvcNames(inputsOf(blueprint)), { files: "files", database: "data-db-0" });
  assert.equal(sitePvcNames(copy({ claims })), { files: "files-k5r2dg7w1x", database: "data-k5r2dg7w1x-db-0" });
});

inputs("hold the mail, whatever relay there is", () => {
  const mail = { host: "relay.example.org", port: 587, user: "biology", from: "noreply@example.org" };
  const held = allObjects(blueprint, copy({ mail, mailHeld: true })), sent = allObjects(blueprint, copy({ mail }));
  const said = (objects: typeof held) => find(objects, "ConfigMap", "moodle-env")["data"];
  assert.match(said(held).POST_CONFIGURE_COMMANDS, /noemailever --set=1$/);
  assert.equal([said(held).SMTP_HOST, find(held, "ConfigMap", "seed")["data"].SEED_MAIL], ["localhost", "off"]);
  assert.match(said(sent).POST_CONFIGURE_COMMANDS, /noemailever --set=0$/);
});

inputs.run();
