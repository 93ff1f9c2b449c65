import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseYaml, writeYamlDocuments } from "#lib/moodle/yaml.ts";
import { blueprint } from "#src/blueprints.ts";
import { builtIn } from "#test/lib/moodle/fixtures.ts";

const test = suite("parseYaml");

function read(text: string): { documents: unknown[]; problems: string[] } {
  const problems: string[] = [];
  return { documents: parseYaml(text, (problem) => problems.push(problem)), problems };
}

test("parses the output of writeDocuments, and the same documents as YAML", () => {
  const documents = [{ a: "1\n---\n2", b: [null, "${X}", 1.5] }, { c: { d: true } }];
  const text = writeYamlDocuments(documents);
  assert.equal(read(text), { documents, problems: [] });
  assert.equal(read(`# as YAML\n${text}`), { documents, problems: [] });
});

test("parses the bundled blueprint like its files", () => {
  for (const [file, text] of Object.entries(builtIn())) {
    if (file.endsWith(".yaml")) assert.equal(read(blueprint[file]!), read(text), file);
  }
});

test("parses almost identical text as YAML", () => {
  assert.equal(read('{"a": 1, b: x} # more').documents, [{ a: 1, b: "x" }]);
  assert.match(read('{"a":1,"a":2}').problems[0]!, /unique/);
  assert.is(read('{"a":').problems.length > 0, true);
});

test.run();
