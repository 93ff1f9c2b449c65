/**
 * Who gets through to which endpoint, with what: every route as it is mounted, its `handle` replaced by one that only
 * says that it was reached. UPDATE_GOLDEN=1 writes the table anew; look at what changed.
 */
import { readFile, writeFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/errors.ts";
import { type AnyEndpoint, type Manifest, METHODS, type RouteModule } from "#lib/http/endpoint.ts";
import { newId } from "#lib/ids.ts";
import { manifest } from "#src/manifest.ts";
import { makeToken } from "#test/support/people.ts";
import { type Means, openScene, type Scene, type Who } from "#test/support/scene.ts";

const GOLDEN = new URL("../golden/access.txt", import.meta.url);
const PEOPLE: readonly Who[] = ["stranger", "spokeAdmin", "hubAdmin", "operator"];
const MEANS: readonly Means[] = ["session", "cli", "provisioning", "readonly"];
const REACHED = 409; // an endpoint cannot refuse with it before its handle: that is where states are looked at

interface Outcome {
  readonly method: string;
  readonly pattern: string;
  readonly endpoint: AnyEndpoint;
  readonly who: Who | "nobody";
  readonly means: Means;
  readonly status: number;
}

interface Context {
  outcomes: Outcome[];
}

const test = suite<Context>("access");

test.before(async (context) => {
  const scene = await openScene({ manifest: manifest.map(([pattern, module]) => [pattern, replaced(module)]) });
  context.outcomes = await walk(scene, await sampleParams(scene));
  await scene.close();
});

test("is as test/golden/access.txt shows", async ({ outcomes }) => {
  const table = write(outcomes);
  if (process.env.UPDATE_GOLDEN) await writeFile(GOLDEN, table);
  assert.fixture(table, await readFile(GOLDEN, "utf8"));
});

test("is open to nobody but where an endpoint says so", ({ outcomes }) => {
  const open = outcomes.filter(({ who, status }) => who === "nobody" && status !== 401);
  for (const { method, pattern, endpoint } of open) {
    assert.ok(["public", "flow"].includes(endpoint.scope) && endpoint.access.name === "anyone", `${method} ${pattern}`);
  }
});

test("with a readonly token is to GET alone", ({ outcomes }) => {
  for (const { method, pattern, endpoint, means, status } of outcomes) {
    if (means !== "readonly" || method === "GET" || endpoint.scope === "public") continue;
    assert.is.not(status, REACHED, `${method} ${pattern}`);
  }
});

test("with any token is to nothing that is for sessions", ({ outcomes }) => {
  for (const { method, pattern, endpoint, means, who, status } of outcomes) {
    if (who === "nobody" || means === "session" || !["session", "flow"].includes(endpoint.scope)) continue;
    assert.is(status, 401, `${method} ${pattern}`);
  }
});

test("is a stranger's to no hub, spoke or operation: they are not there", ({ outcomes }) => {
  for (const { method, pattern, who, status } of outcomes) {
    if (who !== "stranger" || !/:(federation|spoke|operation)Id/.test(pattern)) continue;
    assert.is(status, 404, `${method} ${pattern}`);
  }
});

test("is an operator's with a session, everywhere", ({ outcomes }) => {
  for (const { method, pattern, who, means, status } of outcomes) {
    if (who === "operator" && means === "session") assert.is(status, REACHED, `${method} ${pattern}`);
  }
});

test.run();

/** The same declarations; without a body or a bucket there is nothing else that could refuse. */
function replaced(module: RouteModule): RouteModule {
  const endpoints = METHODS.flatMap((method) => {
    const { bucket: _bucket, body: _body, query: _query, ...endpoint } = module[method] ?? {};
    return module[method] ? [[method, { ...endpoint, handle: reached }]] : [];
  });
  return Object.fromEntries(endpoints);
}

function reached(): never {
  throw new Fault("conflict", "reached", "It was reached");
}

/** For each parameter of a path something that is there: the scene's own, an operation of its spoke, a token. */
async function sampleParams({ db, hub, spoke, people }: Scene): Promise<Readonly<Record<string, string>>> {
  const operationId = newId("op");
  await db.sql(
    `insert into jobs (id, kind, visible, lane, federation_id, spoke_id, time_limit_ms, plan, step_names, label,
      asker_id, asker_email, asker_ip, asker_agent)
     values ($1, 'provision', true, $2, $3, $4, 1000, 1, '{}', 'Waiting', 'system', 'system', '', 'test')`,
    [operationId, `federation:${hub}`, hub, spoke],
  );
  const tokenId = (await makeToken(db, people.hubAdmin, "cli")).id;
  return { federationId: hub, spokeId: spoke, operationId, tokenId };
}

async function walk(scene: Scene, params: Readonly<Record<string, string>>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [pattern, method, endpoint] of endpointsOf(manifest)) {
    const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
      assert.ok(params[name], `a sample of ${name}, for ${pattern}`);
      return params[name]!;
    });
    const ask = async (who: Who | "nobody", means: Means) => {
      const headers = await scene.as(who, means).credentials();
      const { status } = await scene.send(path, { method, headers });
      outcomes.push({ method, pattern, endpoint, who, means, status });
    };
    await ask("nobody", "session");
    for (const who of PEOPLE) for (const means of MEANS) await ask(who, means);
  }
  return outcomes;
}

function endpointsOf(manifest: Manifest): [pattern: string, method: string, endpoint: AnyEndpoint][] {
  return manifest.flatMap(([pattern, module]) =>
    METHODS.flatMap((method): [string, string, AnyEndpoint][] =>
      module[method] ? [[pattern, method, module[method]]] : []
    )
  );
}

function write(outcomes: readonly Outcome[]): string {
  const word = ({ status }: Outcome) => (status === REACHED ? "yes" : String(status)).padStart(14);
  const head = "".padEnd(14) + MEANS.map((means) => means.padStart(14)).join("") + "\n";
  const blocks = Map.groupBy(outcomes, ({ method, pattern }) => `${method} ${pattern}`);
  return head + [...blocks].map(([name, block]) => {
    const { access, scope } = block[0]!.endpoint;
    const rows = Map.groupBy(block, ({ who }) => who);
    return `\n${name}   (${access.name}; ${scope})\n` +
      [...rows].map(([who, row]) => `  ${who.padEnd(12)}${row.map(word).join("")}\n`).join("");
  }).join("");
}
