/** The rules of the house that a program can keep. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findStaleFiles } from "#src/generate.ts";
import { findLongFunctions } from "#test/support/function-lengths.ts";
import { readSources as read, readSourceTexts, resolveImport as resolve } from "#test/support/sources.ts";

const test = suite("rules");

/**
 * The layers in order: a module imports only from entries before its own. An entry is a folder or file of `lib`.
 * docs/development.md describes each layer.
 */
const ORDER = [
  ...under(
    "base",
    "environment utf8 text readable errors second-factor-faults provider-faults faults refusals ids trace work-context time patient-timer cancellation notifier redact log host email schema otel variables variable-files " +
      "database-keywords database-address database-config sign-in-config config notice addresses operator-details nearest-name telemetry limits",
  ),
  "model",
  ...under("drivers", "exchange crypto db dump dns mail payments cluster traces sites webhooks"),
  ...["moodle", "catalog", "openid", "operations"],
  ...["installation/installation", "audit", "events", "idempotency", "jobs", "changes", "installation/database-hold"],
  "external-systems",
  "app",
  ...under(
    "domains",
    "members users auth billing federations availability spokes usage history rollouts policy tiers operations backups courses templates webhooks fleet",
  ),
  ...under("domains", "notifications onboarding changelog deprecations"),
  ...["scheduler", "steps", "doctor", "recovery", "workers"],
  ...["http", "reference", "portal", "metrics"],
  ...under("dev", "simulator embedded"),
  "client",
  ...["routes", "src"],
];

function under(layer: string, entries: string): string[] {
  return entries.split(" ").map((entry) => `${layer}/${entry}`);
}

/** `lib/domains/spokes/views.ts` is in `domains/spokes`, `lib/base/ids.ts` in `base/ids`, `src/commands/dev.ts` in `src`. */
function placeOf(path: string): string {
  const [top = "", layer = "", second = ""] = path.split("/");
  if (top !== "lib") return top;
  const inside = `${layer}/${second}`.replace(/\.ts$/, "");
  return ORDER.includes(inside) || !ORDER.includes(layer.replace(/\.ts$/, "")) ? inside : layer.replace(/\.ts$/, "");
}

const none = (found: readonly string[]) => assert.equal(found, []);

test("every folder stands in the order", async () => {
  const places = (await read("lib")).map(({ path }) => placeOf(path));
  none([...new Set(places)].filter((place) => !ORDER.includes(place)));
});

test("a folder imports only folders that stand before it", async () => {
  const found: string[] = [];
  for (const { path, imports } of await read("lib", "routes", "src")) {
    for (const target of imports.flatMap((specifier) => resolve(path, specifier) ?? [])) {
      if (target === "package.json") continue;
      const here = ORDER.indexOf(placeOf(path)), there = ORDER.indexOf(placeOf(target));
      if (there < 0 || there > here) found.push(`${path} imports ${target}`);
    }
  }
  none(found);
});

test("no module imports itself by way of others", async () => {
  const graph = new Map(
    (await read("lib", "routes", "src")).map(({ path, imports }) =>
      [path, imports.flatMap((specifier) => resolve(path, specifier) ?? [])] as const
    ),
  );
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): string[] => {
    if (above.includes(path)) return [[...above.slice(above.indexOf(path)), path].join(" -> ")];
    if (done.has(path)) return [];
    const cycles = (graph.get(path) ?? []).flatMap((next) => visit(next, [...above, path]));
    done.add(path);
    return cycles;
  };
  none([...graph.keys()].flatMap((path) => visit(path, [])));
});

/** Names that may be exported twice: terms of the cluster, and a worker named like its operation. */
const SHARED_NAMES = ["Condition", "conditionOf", "isRecord", "isTrue"];

test("each exported name is unique, except in an operation and its worker", async () => {
  const places = new Map<string, string[]>();
  for (const { path, text } of await read("lib", "src")) {
    const names = text.matchAll(/^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm);
    for (const name of new Set([...names].map(([, name]) => name!))) {
      if (!SHARED_NAMES.includes(name)) places.set(name, [...places.get(name) ?? [], path]);
    }
  }
  const isPair = ([one, other, ...more]: string[]) =>
    one!.startsWith("lib/operations/") && other!.startsWith("lib/workers/") && more.length === 0;
  const twice = [...places].filter(([, paths]) => paths.length > 1 && !isPair(paths.sort()));
  none(twice.map(([name, paths]) => `${name}: ${paths.join(", ")}`));
});

test("the library and the routes import by name and never by the way up", async () => {
  none(
    (await read("lib", "routes")).filter(({ path }) => placeOf(path) !== "client").flatMap(({ path, imports }) =>
      imports.filter((specifier) => specifier.startsWith(".")).map((specifier) => `${path} imports ${specifier}`)
    ),
  );
});

test("the client imports its own files alone, and only commands import it", async () => {
  none((await read("lib", "routes", "src")).flatMap(({ path, imports }) => {
    const wrong = placeOf(path) === "client" ? /^(?!\.\/[\w-]+\.ts$)/ : /^#lib\/client\//;
    const found = path.startsWith("src/cli/") ? [] : imports.filter((specifier) => wrong.test(specifier));
    return found.map((specifier) => `${path} imports ${specifier}`);
  }));
});

test("a module and a style sheet are at most 250 lines long", async () => {
  const files = [...await read("lib", "routes", "src", "test"), ...await readSourceTexts(".css", "lib")];
  none(files.filter(({ text }) => text.trimEnd().split("\n").length > 250).map(({ path }) => path));
});

test("a function is at most 100 lines long", async () => {
  none(await findLongFunctions(await read("lib", "routes", "src"), 100));
});

test("a module begins with a comment that says what it does, except routes, which declare it", async () => {
  const modules = (await read("lib", "src", "test/support", "test/contract")).filter(({ path }) =>
    !path.endsWith(".test.ts")
  );
  none(modules.filter(({ text }) => !text.startsWith("/**")).map(({ path }) => path));
});

test("no folder is a drawer for anything", async () => {
  const drawers = /(?:^|\/)(?:utils?|helpers?|common|types|services|misc|shared)(?:\/|\.ts$)/;
  none((await read("lib", "routes", "src", "test")).map(({ path }) => path).filter((path) => drawers.test(path)));
});

test("a route exports its methods and reaches no database and no cluster by itself", async () => {
  const found: string[] = [];
  for (const { path, text, imports } of await read("routes")) {
    for (const [line] of text.matchAll(/^export .*$/gm)) {
      const declares =
        /^export const (?:(?:GET|POST|PUT|PATCH|DELETE) = (?:endpoint|portalPage|formAction|publicPage|publicForm|assetEndpoint)|\{ GET, POST \} = formPage)\(\{(?:$| )|^export const \{ GET, POST \} = mailLinkEndpoints\(\w+\);$/;
      if (!declares.test(line)) found.push(`${path}: ${line}`);
    }
    const known = path.startsWith("routes/api/") ? /^(?:valibot$|#lib\/)/ : /^(?:valibot$|#lib\/|#routes\/api\/)/;
    const others = imports.filter((specifier) => !known.test(specifier));
    const drivers = imports.filter((specifier) => /^#lib\/(?:drivers|workers|scheduler)\//.test(specifier));
    found.push(...[...others, ...drivers].map((specifier) => `${path} imports ${specifier}`));
  }
  none(found);
});

test("only the configuration and the client's commands read the environment", async () => {
  const readers = (await read("lib", "routes", "src")).filter(({ text }) =>
    /\bprocess\.env\b|\bDeno\.env\b/.test(text)
  );
  none(readers.map(({ path }) => path).filter((path) => path !== "lib/base/environment.ts"));
  const askers = (await read("lib", "routes", "src")).filter(({ text }) => /\bprocessEnvironment\b/.test(text));
  none(askers.map(({ path }) => path).filter((path) => !/^lib\/base\/(?:config|environment)|^src\/cli\//.test(path)));
});

test("no module loads the Kubernetes library, metrics or traces unless they are configured", async () => {
  const whole = /^import (?!type )[^;]* from "(?:@kubernetes\/client-node|#lib\/drivers\/cluster\/client\/proxy).*";/m;
  const optional = /^import (?!type )[^;]* from "(?:prom-client|#lib\/(?:metrics\/reg|drivers\/traces\/).*)";/m;
  const itself = /^lib\/(?:metrics\/registry|drivers\/traces\/|drivers\/cluster\/client\/proxy-agent)/;
  const sources = (await read("lib", "routes", "src")).filter(({ path }) => !itself.test(path));
  none(sources.filter(({ text }) => whole.test(text) || optional.test(text)).map(({ path }) => path));
  const deep = (await read("lib", "routes", "src", "test")).filter(({ imports }) =>
    imports.some((name) => name.startsWith("@kubernetes/client-node/"))
  );
  none(deep.map(({ path }) => path));
});

test("whatever a run asks of the cluster, it asks as the run", async () => {
  // A signal alone would let a process that was stopped and continues send one more request (ClusterCall.check).
  const lone = /\{ signal: run\.signal|\bcall = \{ signal/;
  none(
    (await read("lib")).filter(({ path, text }) =>
      /^lib\/(?:steps|recovery(?!\/adoption)|workers)\//.test(path) && lone.test(text)
    )
      .map(({ path }) => path),
  );
});

/** The number of modules that still import more than 15 others. Only lower it. */
const WIDE_MODULES = 23;

test("no further module imports more than 15 others", async () => {
  const wide = (await read("lib", "routes", "src")).filter(({ path, imports }) =>
    new Set(imports.flatMap((specifier) => resolve(path, specifier) ?? [])).size > 15
  );
  assert.is(wide.length, WIDE_MODULES, wide.map(({ path }) => path).join(", "));
});

test("doctor only reads the database", async () => {
  const writes = /\.(?:transact|insertInto|updateTable|deleteFrom)\(|"#lib\/changes\//;
  none((await read("lib/doctor")).filter(({ text }) => writes.test(text)).map(({ path }) => path));
});

test("nothing is exported by default, and nothing is left for later", async () => {
  const later = new RegExp(`\\b(?:${["TO", "FIX", "XX"].map((word, i) => word + ["DO", "ME", "X"][i]).join("|")})\\b`);
  const found = (await read("lib", "routes", "src", "test"))
    .filter(({ text }) => later.test(text) || /^export default\b/m.test(text));
  none(found.map(({ path }) => path));
});

test("every suite is run: uvu passes one that is not", async () => {
  const found: string[] = [];
  for (const { path, text } of await read("test")) {
    const suites = [...text.matchAll(/^const (\w+) = (?:suite|browserSuite)\b/gm)].map(([, name]) => name!);
    if (path.endsWith(".test.ts") && suites.length === 0) found.push(`${path} has no suite`);
    found.push(
      ...suites.filter((name) => !text.includes(`\n${name}.run();`)).map((name) => `${path} never runs ${name}`),
    );
  }
  none(found);
});

test("a test stands where what it tests stands", async () => {
  const paths = (await read("lib", "routes", "src")).map(({ path }) => path);
  const tests = (await read("test")).map(({ path }) => path).filter((path) => /^test\/(?:lib|routes|src)\//.test(path));
  const folderOf = (path: string) => path.slice("test/".length, path.lastIndexOf("/") + 1);
  none(tests.filter((path) => !paths.some((tested) => tested.startsWith(folderOf(path)))));
});

test("the generated modules are fresh", async () => {
  none(await findStaleFiles());
});

test.run();
