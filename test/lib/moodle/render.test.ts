import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkPlaceholders, fillPlaceholders, parseManifestDocuments } from "#lib/moodle/render.ts";

const test = suite("fillPlaceholders");

function documentOf(text: string): unknown {
  const problems: string[] = [];
  const [document] = parseManifestDocuments("a.yaml", text, (problem) => problems.push(problem));
  assert.equal(problems, []);
  return document;
}

function problemsOf(text: string, names: readonly string[] = ["A"]): string[] {
  const problems: string[] = [];
  for (const document of parseManifestDocuments("a.yaml", text, (problem) => problems.push(problem))) {
    checkPlaceholders("a.yaml", document, new Set(names), (problem) => problems.push(problem));
  }
  return problems;
}

test("fills placeholders in scalars at any depth", () => {
  const document = documentOf('a: "x-${A}-${B}-${A}"\nb: [{ c: "${B}" }]');
  assert.equal(fillPlaceholders(document, { A: "one", B: "two" }), { a: "x-one-two-one", b: [{ c: "two" }] });
});

test("keeps the type of a value if the placeholder is the whole field", () => {
  const document = documentOf('a: "${N}"\nb: "${T}"\nc: "${M}"\nd: "n=${N}"\ne: "${S}"');
  const values = { N: 3, T: true, M: { cpu: "1" }, S: "8" };
  assert.equal(fillPlaceholders(document, values), { a: 3, b: true, c: { cpu: "1" }, d: "n=3", e: "8" });
});

test("removes the key or list item of an absent value", () => {
  const document = documentOf('a: "${A}"\nb: "x${A}"\nc: ["${A}", 1]\nd: 0');
  for (const absent of [undefined, null]) assert.equal(fillPlaceholders(document, { A: absent }), { c: [1], d: 0 });
});

test("removes maps and lists that an absent value empties", () => {
  const document = documentOf(
    'from:\n  - s: { m: { k: "${A}" } }\n  - s: { m: { k: "${B}" } }\nall: "${A}"\nempty: {}\nnone: []',
  );
  assert.equal(fillPlaceholders(document, { A: null, B: "b" }), {
    from: [{ s: { m: { k: "b" } } }],
    empty: {},
    none: [],
  });
  assert.equal(fillPlaceholders(document, { A: null, B: null }), { empty: {}, none: [] });
});

test("keeps false, zero and empty strings", () => {
  assert.equal(fillPlaceholders(documentOf('[ "${A}", "${B}", "${C}" ]'), { A: false, B: 0, C: "" }), [false, 0, ""]);
});

test("does not expand placeholders inside values", () => {
  const hostile = '${B} $${B} $& $1 \n"; kind: Secret\n---\nkind: Secret';
  assert.equal(fillPlaceholders(documentOf('a: "${A}"\nb: "x ${A}"'), { A: hostile, B: "secret" }), {
    a: hostile,
    b: `x ${hostile}`,
  });
});

test("does not expand placeholders inside maps", () => {
  assert.equal(fillPlaceholders("${A}", { A: { x: "${B}" }, B: 1 }), { x: "${B}" });
});

test("writes $${ as ${ and keeps a single dollar sign", () => {
  assert.equal(fillPlaceholders("$${A} $x $(B) $guard$ ${A}", { A: 1 }), "${A} $x $(B) $guard$ 1");
});

test("throws for a missing or inherited value, and for a map inside a string", () => {
  assert.throws(() => fillPlaceholders("${A}", {}), /Missing value for \$\{A\}/);
  assert.throws(() => fillPlaceholders("${VALUE}", Object.create({ VALUE: 1 })), /Missing value/);
  assert.throws(() => fillPlaceholders("x${A}", { A: {} }), /the whole value/);
});

test("keeps the key __proto__", () => {
  const filled = fillPlaceholders(documentOf('__proto__: { a: "${A}" }'), { A: 1 }) as object;
  assert.ok(Object.hasOwn(filled, "__proto__"));
  assert.is((filled as { a?: number }).a, undefined);
});

const check = suite("checkPlaceholders");

check("accepts known placeholders and escaped ones", () => {
  assert.equal(problemsOf('a: "${A} $${HOME} $x"'), []);
});

check("reports the file, field and name of an unknown placeholder", () => {
  assert.equal(problemsOf('a: [{ b: "${B}" }]'), ["a.yaml: a.0.b: unknown placeholder ${B}"]);
});

check("rejects a placeholder in a key", () => {
  assert.equal(problemsOf('a:\n  "${A}/b": 1'), ["a.yaml: a: keys cannot contain placeholders: ${A}/b"]);
});

check("rejects a malformed placeholder", () => {
  for (const text of ["${a}", "${A", "${A-x}", "x ${ y"]) {
    assert.match(problemsOf(`a: '${text}'`)[0] ?? "", /a\.yaml: a: invalid placeholder in ".*"; write \$\{NAME\}/);
  }
});

check("reports invalid YAML with file and line", () => {
  assert.match(problemsOf("a: [1\nb: 2")[0] ?? "", /^a\.yaml: .*line \d/);
  assert.match(problemsOf("a: 1\na: 2")[0] ?? "", /^a\.yaml: Map keys must be unique/);
});

test.run();
check.run();
