/** Signs people in to a simulated site by a real OpenID Connect provider, redirect by redirect. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { readFile } from "node:fs/promises";
import * as tls from "node:tls";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findFederation } from "#lib/domains/federations/store.ts";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { showPolicy } from "#lib/domains/policy/show.ts";
import type { PolicyPatch } from "#lib/domains/policy/views.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { MoodleAccount } from "#lib/dev/simulator/programs/moodle/site.ts";
import { type IdentityProvider, openIdentityProvider } from "#test/support/identity-provider.ts";
import { tlsFile } from "#test/support/secure-server.ts";
import { updateRows } from "#test/support/rows.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const SITE = "http://ash.spokes.example.org", LOGIN = `${SITE}/login/index.php`;
const { setDefaultCACertificates: trust, getCACertificates } = tls;
/** Deno's fetch() does not use these certificates, and older releases of Node lack the function. */
const canTrust = typeof trust === "function" && !("deno" in process.versions);
const reason = canTrust ? "" : ": skipped, this runtime cannot trust the provider's certificate";
const test = suite<{ scene: WorkScene; provider: IdentityProvider; hub: string; ash: string }>(
  `a whole sign-in${reason}`,
);
const onNode = reason === "" ? test : test.skip;
let ca = "";

test.before(async (context) => {
  ca = await readFile(tlsFile("ca.crt"), "utf8");
  if (reason !== "") return;
  trust([...getCACertificates(), ca]);
  const provider = context.provider = await openIdentityProvider(), scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  await scene.replica();
  context.hub = (await scene.hubBecomes((await scene.hub("north")).id, "active")).id;
  await updateRows(scene.db, "federations", { mode: "identity" }, { id: context.hub });
  const hub = (await findFederation(scene.db.rows, context.hub, "shown"))!;
  const request = { slug: "ash", size: "small", identity: true } as never;
  context.ash = (await createSpoke(scene.app, scene.actor, hub, request, null)).id;
  await scene.becomes(context.ash, "active");
  const { issuer, clientId } = provider;
  await share(context, { signIn: { issuer, clientId, clientSecret: "the client secret", label: "School" } });
});
test.before.each(async (context) => {
  if (reason !== "") return;
  const { provider } = context, site = await siteOf(context);
  provider.person = { sub: "Ada-1", email: "ada@school.example", email_verified: true };
  const { admin } = site.database!.accounts!;
  site.changeDatabase((database) => ({
    ...database,
    links: {},
    accounts: {
      admin: { ...admin!, email: "admin@school.example" },
      ada: { password: "ada's own", email: "ada@school.example" },
      eve: { password: "eve's own", email: "eve@school.example", suspended: true },
    },
  }));
});
test.after(async ({ scene, provider }) => {
  await scene?.close();
  await provider?.close();
});

type Context = { readonly scene: WorkScene; readonly hub: string; readonly ash: string };

const siteOf = async ({ scene, ash }: Context) => scene.simulator.site((await scene.row(ash)).namespace);

async function accountsOf(context: Context): Promise<Readonly<Record<string, MoodleAccount>>> {
  return (await siteOf(context)).database!.accounts!;
}

async function share({ scene, hub }: Context, patch: PolicyPatch): Promise<void> {
  await patchPolicy(scene.app, scene.actor, (await findFederation(scene.db.rows, hub, "shown"))!, patch);
  await waitForRollout(scene, (await showPolicy(scene.db.rows, hub)).rollout!, "completed");
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly url: string;
}

/** Returns a browser: it keeps cookies by host and follows redirects. */
function openBrowser({ scene }: Context): (url: string) => Promise<Answer> {
  const jar = new Map<string, Map<string, string>>();
  const visit = (url: URL): Promise<Answer & { readonly location: string | undefined }> => {
    const isSite = url.hostname.endsWith(".spokes.example.org");
    const cookies = jar.get(url.hostname) ?? new Map<string, string>();
    jar.set(url.hostname, cookies);
    const headers = { host: url.host, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const place = isSite
      ? { host: "127.0.0.1", port: scene.simulator.sitePort }
      : { host: url.hostname, port: url.port, ca };
    return new Promise((resolve, reject) => {
      const asking = (isSite ? requestHttp : requestHttps)({ ...place, path: url.pathname + url.search, headers });
      asking.once("error", reject);
      asking.once("response", async (response) => {
        for (const cookie of response.headers["set-cookie"] ?? []) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
          value === "" ? cookies.delete(name!) : cookies.set(name!, value!);
        }
        let text = "";
        for await (const part of response) text += part;
        resolve({ status: response.statusCode!, text, url: url.href, location: response.headers.location });
      });
      asking.end();
    });
  };
  return async (first) => {
    let answer = await visit(new URL(first));
    for (let hops = 0; answer.location !== undefined; hops++) {
      assert.ok(hops < 20, "too many redirects");
      answer = await visit(new URL(answer.location, answer.url));
    }
    return answer;
  };
}

/** Opens the login page and follows its link. */
async function signIn(context: Context, browse = openBrowser(context)): Promise<Answer> {
  const page = await browse(LOGIN), href = /<a href="([^"]+)">School</.exec(page.text)?.[1];
  assert.ok(href, "the login page has the hub's button");
  return await browse(new URL(href!.replaceAll("&amp;", "&"), SITE).href);
}

onNode("joins the account with the person's address, and finds it again by the provider's ID", async (context) => {
  const { provider } = context, entered = await signIn(context);
  assert.equal([entered.status, entered.url], [200, `${SITE}/my/`]);
  assert.match(entered.text, "You are signed in as ada.");
  provider.person = { sub: "Ada-1", email: "ada.lovelace@school.example" };
  assert.match((await signIn(context)).text, "You are signed in as ada.");
  assert.equal(
    Object.keys(await accountsOf(context)),
    ["admin", "ada", "eve"],
    "a new address makes no second account",
  );
});

onNode("creates an account for a new person", async (context) => {
  context.provider.person = { sub: "Bob-2", email: "bob@school.example" };
  assert.match((await signIn(context)).text, "You are signed in as bob-2.");
  assert.is((await accountsOf(context))["bob-2"]!.auth, "oauth2");
});

onNode("refuses administrators and suspended people, whose accounts are not linked", async (context) => {
  for (const email of ["admin@school.example", "eve@school.example"]) {
    context.provider.person = { sub: `person of ${email}`, email };
    const browse = openBrowser(context), refused = await signIn(context, browse);
    assert.equal([refused.status, /Error writing to database/.test(refused.text)], [404, true], email);
    assert.is((await browse(`${SITE}/my/`)).url, LOGIN);
  }
  assert.equal((await siteOf(context)).database!.links, {});
});

onNode("ends the sessions of a person who is suspended, and refuses the next sign-in", async (context) => {
  const browse = openBrowser(context), { scene, ash } = context;
  await signIn(context, browse);
  const request = { action: "suspend-person", email: "ada@school.example" };
  await requestSpokeAction(scene.app, scene.actor, await scene.row(ash), request as never);
  await scene.ended(ash, "suspend-person");
  assert.is((await browse(`${SITE}/my/`)).url, LOGIN);
  assert.match((await signIn(context, browse)).text, "Invalid login, please try again");
});

onNode("shows on the login page why a person cannot sign in", async (context) => {
  context.provider.person = null;
  const declined = await signIn(context);
  assert.equal([declined.url, /Declined/.test(declined.text)], [LOGIN, true]);
  context.provider.person = { sub: "nobody" };
  assert.match((await signIn(context)).text, "did not contain a username and email address");
});

onNode("refuses other domains, and asks for a confirmation of an address that joins an account", async (context) => {
  await share(context, { signIn: { domains: ["*.school.example", "school.example"], confirmation: true } });
  context.provider.person = { sub: "Ada-1", email: "ada@school.example", email_verified: false };
  const browse = openBrowser(context), asked = await signIn(context, browse);
  assert.match(asked.text, "An existing account was found with this email address but it is not linked yet");
  assert.is((await browse(`${SITE}/my/`)).url, LOGIN, "the provider has not verified the address");
  context.provider.person = { sub: "Mallory", email: "ada@evil-school.example" };
  assert.match((await signIn(context)).text, "The email address is not permitted on this site");
});

onNode("has no button after the sign-in was removed, and refuses the old one", async (context) => {
  const browse = openBrowser(context), page = await browse(LOGIN);
  const [, href] = /<a href="([^"]+)">School</.exec(page.text)!;
  await share(context, { signIn: { issuer: null, clientId: null, clientSecret: null } });
  assert.not.match((await browse(LOGIN)).text, "School");
  const old = await browse(new URL(href!.replaceAll("&amp;", "&"), SITE).href);
  assert.match(old.text, "This issuer can not be used to log in");
  assert.match((await browse(`${SITE}/auth/oauth2/login.php?id=1`)).text, "sesskey");
});

test.run();
