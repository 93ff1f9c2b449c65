/** Tests the pages of a simulated site in each state. */
import { request } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite("the page of a simulated site");
const HOST = "oak.spokes.example.org";
const LINK = "/login/forgot_password.php";
let scene: WorkScene, namespace: string;

interface Page {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
}

test.before(async () => {
  scene = await openWorkScene();
  await scene.replica();
  const id = await scene.spoke(await scene.hub("north"), "oak");
  ({ namespace } = await scene.becomes(id, "active"));
  await until(() => scene.simulator.site(namespace).database?.accounts?.admin);
});
test.after(() => scene.close());

function ask(
  path: string,
  { host = HOST, form }: { host?: string; form?: Record<string, string> } = {},
): Promise<Page> {
  const { sitePort: port } = scene.simulator, method = form ? "POST" : "GET";
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path, method, headers: { host: `${host}:${port}` } });
    asking.once("error", reject);
    asking.once("response", async (response) => {
      let text = "";
      for await (const part of response) text += part;
      resolve({ status: response.statusCode!, text, location: response.headers.location });
    });
    asking.end(form && new URLSearchParams(form).toString());
  });
}

/** Creates a sign-in link that is `age` seconds old. */
function giveLink(token: string, secondsAgo = 0): void {
  const { database, saveDatabase } = scene.simulator.site(namespace), { admin } = database!.accounts!;
  const requested = Math.floor(Date.now() / 1000) - secondsAgo;
  saveDatabase({
    ...database!,
    accounts: { ...database!.accounts, admin: { ...admin!, reset: { token, requested } } },
  });
}

test("shows the site's name, and that the site is simulated", async () => {
  const { database, saveDatabase } = scene.simulator.site(namespace);
  saveDatabase({ ...database!, config: { ...database!.config, fullname: 'Oak <b>&"' } });
  const { status, text } = await ask("/");
  assert.is(status, 200);
  assert.match(text, "<strong>Oak &lt;b&gt;&amp;&quot;</strong>");
  assert.match(text, "This site is simulated");
});

test("sets a password with a link once", async () => {
  giveLink("token-one");
  assert.match((await ask(`${LINK}?token=token-one`)).text, "for the account admin");
  const send = (password: string, password2 = password) =>
    ask(LINK, { form: { token: "token-one", password, password2 } });
  assert.equal([(await send("short")).status, (await send("long enough", "another one")).status], [400, 400]);
  assert.match((await send("long enough")).text, "You are signed in as admin");
  assert.is(scene.simulator.site(namespace).database!.accounts!.admin!.password, "long enough");
  assert.equal([(await send("long enough")).status, (await ask(`${LINK}?token=token-one`)).status], [403, 403]);
});

test("rejects a link that is unknown, empty or expired", async () => {
  giveLink("token-two", 1801);
  for (const token of ["token-two", "another", ""]) assert.is((await ask(`${LINK}?token=${token}`)).status, 403, token);
});

test("rejects a form that is too large, and a host without a site", async () => {
  assert.is((await ask(LINK, { form: { token: "x".repeat(20_000) } })).status, 413);
  assert.is((await ask("/", { host: "elm.spokes.example.org" })).status, 404);
});

test("shows maintenance mode and a suspended site", async () => {
  const { files, saveFiles } = scene.simulator.site(namespace);
  saveFiles({ ...files, maintenance: true });
  const during = await ask("/");
  assert.is(during.status, 503);
  assert.match(during.text, "The site is in maintenance");
  saveFiles({ ...files, maintenance: false });
  const scale = `/apis/apps/v1/namespaces/${namespace}/deployments/moodle`;
  await fetch(scene.simulator.url + scale, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ spec: { replicas: 0 } }),
  });
  const { status, text } = await ask("/");
  assert.is(status, 503);
  assert.match(text, "The site is suspended");
});

test.run();
