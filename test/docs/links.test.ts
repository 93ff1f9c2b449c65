/** Checks that relative links in the documents lead to a file, and to a heading where they name one. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MOST_WORDS = 22_400;

const test = suite("links of the documents");

test("lead to a file and a heading", async () => {
  const pages = [...await counted(), "sql/README.md", "deploy/metrics.md", "test/security.md"], broken: string[] = [];
  for (const page of pages) {
    const links = linksIn(await readFile(join(ROOT, page), "utf8"));
    for (const link of links) if (await isBroken(page, link)) broken.push(`${page}: ${link}`);
  }
  assert.equal(broken, []);
});

test("are found, with their headings", async () => {
  assert.equal(
    linksIn('[a](b.md#c) `[d](e.md)` ![f](g.png) <img src="h.png"> [i](https://example.org)\n```\n[j](k)\n```\n'),
    [
      ...["b.md#c", "g.png", "h.png"],
    ],
  );
  assert.equal(headingsIn("# The `a` and B's c\n```sh\n# no heading\n```\n## What's `x_y`, now?\n"), [
    ...["the-a-and-bs-c", "whats-x_y-now"],
  ]);
});

test("docs/queue.md names tests that exist", async () => {
  const page = await readFile(join(ROOT, "docs/queue.md"), "utf8");
  const paths = [...new Set(page.match(/(?<![./])(?:lib\/(?:jobs|scheduler|workers)|faults)\/[a-z-]+/g))];
  const tests = await Promise.all(paths.map((path) => readFile(join(ROOT, `test/${path}.test.ts`), "utf8")));
  const names = [...page.replace(/\s+/g, " ").matchAll(/"([^"]+?)…?"/g)].map(([, name]) => name!);
  assert.ok(paths.length > 5 && names.length > 10);
  assert.equal(names.filter((name) => !tests.some((text) => text.includes(`test("${name}`))), []);
});

test("every page of docs is linked from the README", async () => {
  const links = linksIn(await readFile(join(ROOT, "README.md"), "utf8")).map((link) => link.split("#")[0]);
  assert.equal((await counted()).filter((page) => page !== "README.md" && !links.includes(page)), []);
});

test("the documents are short", async () => {
  const texts = await Promise.all((await counted()).map((page) => readFile(join(ROOT, page), "utf8")));
  const words = texts.join("\n").split(/\s+/).length;
  assert.ok(words <= MOST_WORDS, `${words} words`);
});

/** Returns the documents for users: README, SECURITY and docs. */
async function counted(): Promise<string[]> {
  const docs = (await readdir(join(ROOT, "docs"))).filter((file) => file.endsWith(".md"));
  return ["README.md", "SECURITY.md", ...docs.map((file) => `docs/${file}`)];
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[^]*?^```$/gm, "");
}

function linksIn(markdown: string): string[] {
  const text = withoutCode(markdown).replace(/`[^`\n]*`/g, "");
  const found = text.matchAll(/\]\(([^()\s]+)\)|\b(?:src|srcset)="([^"]+)"/g);
  return [...found].map(([, link, source]) => link ?? source!).filter((link) => !/^[a-z]+:/.test(link));
}

/** Returns the anchors that GitHub gives to the headings. */
function headingsIn(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)]
    .map(([, title = ""]) => title.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"));
}

async function isBroken(page: string, link: string): Promise<boolean> {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? page : relative(ROOT, join(ROOT, dirname(page), file));
  if (!existsSync(join(ROOT, target))) return true;
  return anchor !== undefined && !headingsIn(await readFile(join(ROOT, target), "utf8")).includes(anchor);
}

test.run();
