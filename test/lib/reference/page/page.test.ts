/** Tests the content and the links of the reference page of the complete API. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { listEndpointEntries } from "#lib/reference/document.ts";
import { renderReferencePage } from "#lib/reference/page/page.ts";
import { renderPage } from "#lib/http/page.ts";
import { HTTP_METHODS, withoutPortal } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";

const test = suite("renderReferencePage");

const document = buildOpenApiDocument(manifest, { api: "v0", version: "1.2.3", commit: "abc" });
const text = renderPage(renderReferencePage(document));
const [, style = ""] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
const [, script = ""] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
const body = text.slice(text.indexOf("<body>")).replace(/<script>.*?<\/script>/s, "");

const found = (pattern: RegExp, of = body) => [...of.matchAll(pattern)].map(([, one]) => one!);
const plain = (of: string) => of.replace(/<[^>]*>/g, "");
const unescape = (of: string) =>
  of.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll(
    "&amp;",
    "&",
  );

test("has every endpoint, with an anchor and a link in the contents", () => {
  const headings = found(/<h3>(.*?)<\/h3>/gs).map((heading) => plain(heading).trim());
  const missing = withoutPortal(manifest).flatMap(([pattern, module]) =>
    HTTP_METHODS.filter((method) => module[method]).map((method) => `${method} ${pattern}`)
  )
    .filter((name) => !headings.includes(name.replace(/:(\w+)/g, "{$1}")));
  assert.equal(missing, []);
  const articles = found(/<article id="(\w+)"/g);
  assert.equal(articles.length, listEndpointEntries(document).length);
  const [contents = ""] = found(/<nav[^>]*>(.*?)<\/nav>/gs);
  assert.equal(articles.filter((id) => !contents.includes(`href="#${id}"`)), []);
});

test("has a command with method, path and body for every endpoint", () => {
  const commands = found(/<article.*?<pre[^>]*><code>(.*?)<\/code>/gs).map(unescape);
  assert.equal(commands.length, listEndpointEntries(document).length);
  assert.equal(commands.filter((command) => !/^curl -s[^]*"\$URL\/[^{}]*"$/.test(command)), []);
  const [suspend = ""] = commands.filter((command) =>
    command.includes("/api/spokes/spk_") && command.includes('/actions"')
  );
  assert.match(suspend, `-d '{"action":"suspend"}'`);
});

test("shows the rules of fields and each endpoint's own errors", () => {
  const [article = ""] = found(/<article id="createFederationSpoke"(.*?)<\/article>/gs);
  assert.match(
    plain(article),
    "A short name for addresses and commands, of lowercase letters, digits and hyphens; must be 1 to 63 lower-case",
  );
  assert.match(plain(article), /409 domain_taken The domain/);
  assert.match(plain(article), "provisioning");
});

test("has no broken link", () => {
  const ids = new Set(found(/\bid="([^"]+)"/g));
  assert.is(ids.size, found(/\bid="([^"]+)"/g).length, "each id is there once");
  assert.equal(found(/href="#([^"]+)"/g).filter((id) => !ids.has(id)), []);
});

test("loads nothing from elsewhere", () => {
  const urls = found(/\b(?:src|href|action|poster|data)="((?!#|data:)[^"]*)"/g, text);
  assert.equal([...new Set(urls)], ["/changelog", "/api/openapi.json"]);
  assert.not.match(style, /url\(|@import|https?:/);
  assert.not.match(script, /\bfetch\b|XMLHttpRequest|import\(|WebSocket|EventSource|sendBeacon|innerHTML|eval/);
});

test("has no inline styles or scripts, which its policy would block", () => {
  assert.equal(found(/(\sstyle=)/g), []);
  assert.equal(found(/(<style|<script|\son\w+=)/g), []);
});

test("has headings in order", () => {
  const levels = found(/<h([1-6])/g).map(Number);
  assert.is(levels.filter((level) => level === 1).length, 1);
  const [contents = ""] = found(/<nav[^>]*>(.*?)<\/nav>/gs);
  const inMain = found(/<h([1-6])/g, body.replace(contents, "")).map(Number);
  assert.is(inMain[0], 1);
  assert.equal(inMain.filter((level, i) => i > 0 && level > inMain[i - 1]! + 1), []);
});

test("has each landmark once, and a label for its field", () => {
  for (const name of ["header", "nav", "main"]) assert.is(found(new RegExp(`(<${name}[\\s>])`, "g")).length, 1, name);
  assert.match(body, '<nav aria-label="Endpoints">');
  assert.match(body, '<label class="visually-hidden" for="find">');
  assert.match(body, 'id="find" type="search"');
  assert.match(text, '<html lang="en">');
  assert.match(body, '<a class="skip" href="#main">');
});

test("hides the search until the script runs", () => {
  assert.match(body, '<form role="search" hidden>');
  assert.match(script, ".hidden=!1");
});

test("uses only custom properties that it or the theme defines", () => {
  const used = [...style.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name!);
  assert.equal([...new Set(used)].filter((name) => !style.includes(`--${name}:`)), []);
});

test("stays below the size limit", () => {
  assert.ok(
    text.length / listEndpointEntries(document).length < 4620,
    `${text.length} characters`,
  );
});

test("has a script that parses", () => {
  new Function(script);
});

test.run();
