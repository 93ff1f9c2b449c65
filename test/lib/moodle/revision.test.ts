/** Tests that the revision changes exactly when the same inputs render other objects. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import {
  allObjects,
  builtIn,
  edited,
  HUB_STEPS,
  hubInputsOf,
  inputsOf,
  openBlueprint,
} from "#test/lib/moodle/fixtures.ts";

const test = suite("a blueprint's revision");
const blueprint = openBlueprint();
const SETTINGS = ["sizes.yaml", "images.yaml", "surroundings.yaml"];

/** Returns everything rendered from the same inputs, without the revision. */
function rendered(files: ReturnType<typeof builtIn>): string {
  const made = createBlueprint(files);
  const formerHosts = [{ host: "old.example.org", certificate: "old" }];
  const origin = { adoptionId: "k5r2dg7w1x", identity: "new" } as const;
  const objects = [
    ...allObjects(made, { ...inputsOf(blueprint), formerHosts, origin }),
    ...made.newSecrets(inputsOf(blueprint)).map(({ stringData: _, ...rest }) => rest),
    ...HUB_STEPS.flatMap((step) => made.hubObjects(hubInputsOf(blueprint), step)),
    made.libraryJob(hubInputsOf(blueprint), "1", { mode: "check", packages: [] }),
  ];
  return JSON.stringify(objects).replaceAll(made.revision, "");
}

test("is short, and the same for the same files", () => {
  assert.match(blueprint.revision, /^[0-9a-f]{12}$/);
  assert.is(openBlueprint().revision, blueprint.revision);
});

test("ignores comments, key order and Windows line endings in a manifest", () => {
  for (const file of Object.keys(builtIn()).filter((name) => name.endsWith(".yaml"))) {
    const files = builtIn({ [file]: `# more\n${builtIn()[file]}`.replaceAll("\n", "\r\n") });
    assert.is(createBlueprint(files).revision, blueprint.revision, file);
    assert.is(rendered(files), rendered(builtIn()), file);
  }
  const turned = edited(
    "files.yaml",
    "apiVersion: v1\nkind: PersistentVolumeClaim\n",
    "kind: PersistentVolumeClaim\napiVersion: v1\n",
  );
  assert.is(createBlueprint(turned).revision, blueprint.revision);
});

test("changes with every manifest and script that renders other objects", () => {
  for (const [file, text] of Object.entries(builtIn()).filter(([name]) => !SETTINGS.includes(name))) {
    const changed = file.endsWith(".php")
      ? `${text}// more\n`
      : text.replace(/\n {2}name: (.*)\n/, "\n  name: $1\n  annotations: { more }\n");
    const files = builtIn({
      [file]: ["ingress.yaml", "former.yaml"].includes(file)
        ? text.replace("pathType: Prefix", "pathType: Exact")
        : file === "adopt.yaml"
        ? text.replace("echo adopted", "echo taken over")
        : changed,
    });
    assert.is.not(createBlueprint(files).revision, blueprint.revision, file);
    if (!["secrets.yaml", "library-key.yaml"].includes(file)) assert.is.not(rendered(files), rendered(builtIn()), file);
  }
});

test("ignores settings, because a spoke stores their values in its inputs", () => {
  for (
    const files of [
      edited("sizes.yaml", "workers: 8", "workers: 9"),
      edited("images.yaml", "postgres:17-alpine", "postgres:18-alpine"),
      edited("surroundings.yaml", "ingressClass: nginx", "ingressClass: traefik"),
    ]
  ) {
    assert.is(createBlueprint(files).revision, blueprint.revision);
    assert.is(rendered(files), rendered(builtIn()));
  }
});

test.run();
