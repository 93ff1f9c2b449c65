/**
 * Compares SECURITY.md and its evidence, test/security.md, with the repository: the files they name exist, each bound and
 * each requirement that is met has its test, and every requirement of the standard is mentioned once.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** OWASP ASVS 5.0, levels 1 and 2, without chapter 17, which does not apply. */
const REQUIREMENTS = `1.1.1–1.1.2 1.2.1–1.2.9 1.3.1–1.3.11 1.4.1–1.4.3 1.5.1–1.5.2
2.1.1–2.1.3 2.2.1–2.2.3 2.3.1–2.3.4 2.4.1 3.2.1–3.2.2 3.3.1–3.3.4 3.4.1–3.4.6 3.5.1–3.5.5 3.7.1–3.7.2
4.1.1–4.1.3 4.2.1 4.3.1–4.3.2 4.4.1–4.4.4 5.1.1 5.2.1–5.2.3 5.3.1–5.3.2 5.4.1–5.4.3
6.1.1–6.1.3 6.2.1–6.2.12 6.3.1–6.3.4 6.4.1–6.4.4 6.5.1–6.5.5 6.6.1–6.6.3 6.8.1–6.8.4
7.1.1–7.1.3 7.2.1–7.2.4 7.3.1–7.3.2 7.4.1–7.4.5 7.5.1–7.5.2 7.6.1–7.6.2 8.1.1–8.1.2 8.2.1–8.2.3 8.3.1 8.4.1
9.1.1–9.1.3 9.2.1–9.2.4 10.1.1–10.1.2 10.2.1–10.2.2 10.3.1–10.3.4 10.4.1–10.4.11 10.5.1–10.5.5 10.6.1–10.6.2 10.7.1–10.7.3
11.1.1–11.1.2 11.2.1–11.2.3 11.3.1–11.3.3 11.4.1–11.4.4 11.5.1 11.6.1 12.1.1–12.1.3 12.2.1–12.2.2 12.3.1–12.3.4
13.1.1 13.2.1–13.2.5 13.3.1–13.3.2 13.4.1–13.4.5 14.1.1–14.1.2 14.2.1–14.2.4 14.3.1–14.3.3
15.1.1–15.1.3 15.2.1–15.2.3 15.3.1–15.3.7 16.1.1 16.2.1–16.2.5 16.3.1–16.3.4 16.4.1–16.4.3 16.5.1–16.5.3`;

interface Context {
  text: string;
  evidence: string;
}

/** The cells of a table's row, from left to right. */
type Row = readonly string[];

const STANDARD = "OWASP ASVS 5.0";
const test = suite<Context>("SECURITY.md");
test.before(async (context) => {
  const [text, evidence] = await Promise.all(
    ["SECURITY.md", "test/security.md"].map((path) => readFile(ROOT + path, "utf8")),
  );
  Object.assign(context, { text, evidence });
});

test("names files that exist", ({ text, evidence }) => {
  const inFolders = (text + evidence).matchAll(/`((?:src|lib|routes|sql|test|deploy)\/[^`]+)`/g);
  const atTheTop = text.matchAll(/`([\w-]+\.json|Containerfile)`/g);
  const paths = [...inFolders, ...atTheTop].map(([, path]) => path!).filter((path) => path !== "sbom.json");
  assert.ok(paths.includes("src/listen.ts") && paths.includes("package.json"));
  assert.equal(paths.filter((path) => !existsSync(ROOT + path)), []);
});

test("has a test for each bound", ({ text, evidence }) => {
  const [bounds] = section(text, "Bounds").split("\n### No bound\n"), tested = rowsOf(section(evidence, "Bounds"));
  assert.ok(tested.length > 30);
  assert.equal(rowsOf(bounds!).map(([name]) => name), tested.map(([name]) => name));
  for (const row of [...tested, ...rowsOf(section(evidence, "Further bounds"))]) assert.ok(isTest(row.at(-1)!), row[0]);
});

test("has a test for each requirement that is met", ({ evidence }) => {
  const met = rowsOf(section(evidence, STANDARD).split("\n### Met by design\n")[0]!);
  assert.ok(met.length > 50);
  for (const row of met) assert.ok(numbersIn(row[0]!).length > 0 && isTest(row.at(-1)!), row[0]);
});

test("mentions each requirement of the standard once", ({ text, evidence }) => {
  const mentioned = numbersIn(section(text, `${STANDARD}, level 2`) + section(evidence, STANDARD));
  assert.equal(mentioned.sort(), numbersIn(REQUIREMENTS).sort());
});

test("counts the packages of package.json", async ({ text }) => {
  const { dependencies } = JSON.parse(await readFile(`${ROOT}package.json`, "utf8"));
  assert.match(text, `: ${Object.keys(dependencies).length} packages in \`package.json\``);
});

test.run();

function section(text: string, title: string): string {
  return text.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
}

/** Returns the rows of all tables, with or without a trailing bar, without their heads. */
function rowsOf(text: string): Row[] {
  const rows = text.split("\n").filter((line) => line.startsWith("|"))
    .map((line) => line.replace(/^\|\s*|\s*\|$/g, "").split("|").map((cell) => cell.trim()));
  const rules = new Set(rows.flatMap((row, i) => row.every((cell) => /^-+$/.test(cell)) ? [i - 1, i] : []));
  return rows.filter((_, i) => !rules.has(i));
}

function isTest(cell: string): boolean {
  const [, path] = /^`(test\/.+\.test\.ts)`$/.exec(cell) ?? [];
  return path !== undefined && existsSync(ROOT + path);
}

/** Returns the numbers of requirements; `3.3.1–3.3.4` is four. */
function numbersIn(text: string): string[] {
  return [...text.matchAll(/(\d+\.\d+\.)(\d+)(?:–\1(\d+))?/g)].flatMap(([, part, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => `${part}${Number(first) + i}`)
  );
}
