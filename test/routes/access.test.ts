/**
 * Tests who can access which endpoint, with each credential, for own and foreign objects. The `handle` of every mounted
 * route is replaced by one that reports that it was reached. UPDATE_GOLDEN=1 rewrites the table; review the diff.
 *
 * A new path parameter needs a sample in test/support/probes/samples.ts.
 */
import { readFile, writeFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { HTTP_METHODS, type RouteModule, withoutPortal } from "#lib/http/endpoint.ts";
import { manifest as whole } from "#src/manifest.ts";
import { type ListedEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { retryUnavailable } from "#test/support/probes/retry-unavailable.ts";
import { pathOf, type PathParamSample, sampleParams } from "#test/support/probes/samples.ts";
import { type CredentialType, openScene, type Scene, type SceneRole } from "#test/support/scene.ts";

const manifest = withoutPortal(whole); // pages refuse what the API refuses, see portal-access.test.ts
const GOLDEN = new URL("../golden/access.txt", import.meta.url);
const PEOPLE: readonly SceneRole[] = ["stranger", "spokeAdmin", "hubAdmin", "operator"];
const MEANS: readonly CredentialType[] = ["session", "cli", "provisioning", "readonly"];
const WHOSE: readonly (keyof PathParamSample)[] = ["own", "foreign", "absent"];
const REACHED = 409; // 409 cannot occur before the handle, which checks states

const TABLE_HEAD =
  `Who gets through with a session (s), or with a token of scope cli (c), provisioning (p), readonly (r): to what is
their own, and to the like of a hub with which only operators have to do. A number is the status of the refusal.

              own                         foreign
              s     c     p     r         s     c     p     r
`;

interface Outcome extends ListedEndpoint {
  readonly who: SceneRole | "nobody";
  readonly means: CredentialType;
  readonly whose: keyof PathParamSample;
  readonly status: number;
  readonly message: string;
}

const test = suite<{ outcomes: Outcome[] }>("access");

test.before((context) => {
  context.outcomes = [];
});

test("can be tested for every endpoint", async (context) => {
  const scene = await openScene({ manifest: manifest.map(([pattern, module]) => [pattern, replaced(module)]) });
  try {
    context.outcomes = await walk(scene);
  } finally {
    await scene.close();
  }
  assert.equal([...new Set(context.outcomes.map(({ name }) => name))], listEndpoints(manifest).map(({ name }) => name));
});

test("matches test/golden/access.txt", async ({ outcomes }) => {
  const table = write(outcomes);
  if (process.env.UPDATE_GOLDEN) await writeFile(GOLDEN, table);
  assert.fixture(table, await readFile(GOLDEN, "utf8"));
});

test("is public only where an endpoint declares it", ({ outcomes }) => {
  const open = outcomes.filter(({ who, status }) => who === "nobody" && status !== 401);
  for (const { name, endpoint } of open) {
    assert.ok(["public", "flow"].includes(endpoint.scope) && endpoint.access.name === "anyone", name);
  }
});

test("with a readonly token covers GET requests only", ({ outcomes }) => {
  for (const { name, method, endpoint, means, status } of outcomes) {
    if (means !== "readonly" || method === "GET" || endpoint.scope === "public") continue;
    assert.is.not(status, REACHED, name);
  }
});

test("with any token excludes endpoints for sessions", ({ outcomes }) => {
  for (const { name, endpoint, means, who, status } of outcomes) {
    if (who === "nobody" || means === "session" || !["session", "flow"].includes(endpoint.scope)) continue;
    assert.is(status, 401, name);
  }
});

test("with a narrower token never exceeds a wider one, or a session", ({ outcomes }) => {
  const groups = Map.groupBy(outcomes, ({ name, who, whose }) => `${name} ${who} ${whose}`);
  for (const [what, row] of groups) {
    const reached = row.map(({ status }) => status === REACHED);
    assert.ok(reached.every((one, i) => !one || i === 0 || reached[i - 1]), what);
  }
});

test("to another customer's object answers like a missing object, word for word", ({ outcomes }) => {
  const groups = Map.groupBy(outcomes, ({ name, who, means }) => `${name} ${who} ${means}`);
  for (const [what, row] of groups) {
    const [foreign, absent] = [
      row.find(({ whose }) => whose === "foreign"),
      row.find(({ whose }) => whose === "absent"),
    ];
    if (!foreign || !absent || foreign.who === "operator") continue;
    assert.equal([foreign.status, foreign.message], [absent.status, absent.message], what);
    if (["signed in", "anyone"].includes(foreign.endpoint.access.name)) continue; // the handle looks up its object
    assert.ok([401, 403, 404].includes(foreign.status), what);
    // Access to an object answers 404 if refused. 403 is for callers or tokens that may not use the endpoint at all.
    if (isWideEnough(foreign) && !["operator", "signed in", "anyone"].includes(foreign.endpoint.access.name)) {
      assert.is.not(foreign.status, 403, what);
    }
  }
});

test("for a stranger finds no hub, spoke or operation", ({ outcomes }) => {
  for (const outcome of outcomes) {
    const { name, endpoint, who, status } = outcome;
    if (who !== "stranger" || !/^(federation|spoke|operation): /.test(endpoint.access.name)) continue;
    if (isWideEnough(outcome)) assert.ok(status === 404 || status === 401 && endpoint.scope === "session", name);
  }
});

test("with too narrow a token is refused whether the object exists or not", ({ outcomes }) => {
  for (const outcome of outcomes.filter((one) => one.who !== "nobody" && !isWideEnough(one))) {
    assert.is(outcome.status, 403, `${outcome.name} ${outcome.who} ${outcome.means} ${outcome.whose}`);
    assert.match(outcome.message, "The token's scope is ");
  }
});

test("with an operator's session covers everything", ({ outcomes }) => {
  for (const { name, endpoint, who, means, whose, status } of outcomes) {
    if (endpoint.access.name === "own factor") continue; // operators remove all factors of a user instead
    if (who === "operator" && means === "session" && whose !== "absent") assert.is(status, REACHED, `${name} ${whose}`);
  }
});

test.run();

/** Returns whether the credential's scope suffices for the endpoint. A session's always does. */
function isWideEnough({ endpoint, means }: Outcome): boolean {
  const scopes = ["readonly", "provisioning", "cli"];
  return means === "session" || scopes.indexOf(means) >= scopes.indexOf(endpoint.scope);
}

/** Keeps the declarations, but accepts any body and removes the bucket and the recent sign-in, so that only access rules can refuse. */
function replaced(module: RouteModule): RouteModule {
  const endpoints = HTTP_METHODS.flatMap((method) => {
    const { rateLimitMessage: _bucket, recentSignIn: _recent, form: _form, query: _query, ...endpoint } =
      module[method] ?? {};
    return module[method] ? [[method, { ...endpoint, body: v.any(), handle: reached }]] : [];
  });
  return Object.fromEntries(endpoints);
}

function reached(): never {
  throw new Fault("conflict", "reached", "The handler was called");
}

async function walk(scene: Scene): Promise<Outcome[]> {
  const samples = await sampleParams(scene);
  const outcomes: Outcome[] = [];
  for (const at of listEndpoints(manifest)) {
    const groups = WHOSE.slice(0, at.pattern.includes(":") ? 3 : 1).flatMap((whose) => {
      const path = pathOf(at.pattern, samples, whose);
      const ask = async (who: SceneRole | "nobody", means: CredentialType): Promise<Outcome> => {
        const headers = await scene.as(who, means).credentials();
        const { status, body } = await retryUnavailable(() => scene.send(path, { method: at.method, headers }));
        return { ...at, who, means, whose, status, message: body.message };
      };
      return [ask("nobody", "session"), ...PEOPLE.flatMap((who) => MEANS.map((means) => ask(who, means)))];
    });
    outcomes.push(...await Promise.all(groups));
  }
  return outcomes;
}

function write(outcomes: readonly Outcome[]): string {
  const word = ({ status }: Outcome) => (status === REACHED ? "yes" : String(status)).padEnd(6);
  const cells = (row: readonly Outcome[], whose: keyof PathParamSample) =>
    row.filter((one) => one.whose === whose).map(word).join("").padEnd(4 * 6 + 4);
  const lines = (name: string, block: readonly Outcome[]) => {
    const { access, scope } = block[0]!.endpoint;
    const rows = [...Map.groupBy(block, ({ who }) => who)];
    return `\n${name}   (${access.name}; ${scope})\n` +
      rows.map(([who, row]) => `  ${who.padEnd(12)}${cells(row, "own")}${cells(row, "foreign")}`.trimEnd() + "\n").join(
        "",
      );
  };
  return TABLE_HEAD +
    [...Map.groupBy(outcomes, ({ name }) => name)].map(([name, block]) => lines(name, block)).join("");
}
