/** Runs every verb as a process, and checks that the verbs call nearly every endpoint. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ENDPOINTS } from "#lib/client/endpoints.ts";
import { CLIENT_COMMANDS, loadCommand } from "#src/cli/commands.ts";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken, PASSWORD } from "#test/support/users.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

interface Context {
  stage: Stage;
  cli: CliFixture;
  /** The endpoints that received a request. */
  endpoints: Set<string>;
}

const test = suite<Context>("all verbs");

test.before(async (context) => {
  const stage = context.stage = await openStage(), { scene, proxy } = stage;
  const { plaintext } = await createTestToken(scene.db, scene.people.operator, "cli");
  context.cli = await openCliFixture({ WHEELWRIGHT_URL: proxy.url, WHEELWRIGHT_TOKEN: plaintext });
  const endpoints = context.endpoints = new Set<string>();
  const patterns = Object.entries(ENDPOINTS).map(([name, { method, path }]) =>
    [name, new RegExp(`^${method} ${path.replace(/\{\w+\}/g, "[^/?]+").replaceAll(".", "\\.")}(?:\\?| )`)] as const
  );
  proxy.watch((bytes) => {
    const line = Buffer.from(bytes).toString("latin1");
    // Literal paths come before paths with parameters.
    const found = patterns.filter(([, pattern]) => pattern.test(line)).sort(([one], [other]) =>
      ENDPOINTS[one as keyof typeof ENDPOINTS].path.split("{").length -
      ENDPOINTS[other as keyof typeof ENDPOINTS].path.split("{").length
    );
    if (found[0]) endpoints.add(found[0][0]);
    return true;
  });
});
test.after(async ({ cli, stage }) => {
  await cli.close();
  await stage.close();
});

const EMAIL = "operator@example.org", ACTIONS = "restart maintenance-on maintenance-off purge-caches backup run-cron";

/** The command lines in order, each with its exit status (default: 0). $X is the output of line X. */
const LINES = `
login --email ${EMAIL} --password
logout
me
overview
catalog
changelog
completion bash
availability north
availability north/oak
cost north
cost north --size small
hubs list
hubs show north
hubs create west --no-wait
hubs update west --name West
hubs retry north =5
hubs operations north
hubs members north
hubs add-member west cy@west.example
hubs remove-member west cy@west.example
hubs billing north
hubs bill north accounts@north.example =3
hubs reconcile north =3
spokes list
spokes list --hub north
spokes list --outdated --with-size medium --sort last-failure
overview --days 2
spokes list --min-storage 80 --sort storage
spokes bulk backup --hub north --dry-run
spokes show oak
spokes create north/elm --timeout 1s =6
spokes create north/twin --copy-of elm --backup now =5
spokes apply -f -
policy show north
policy set north settings.language=de --allow settings.language
policy set north signIn.label=School --dry-run
policy check-sign-in north =2
policy history north
policy rollback north settings 1
policy show-spoke oak
policy override oak settings.language=fr --exclude brand
courses list north
courses library north
courses delete north crs_00000000000000000000000000 1 =3
courses publish north oak BIO-D --course crs_00000000000000000000000000 =2
rollouts create configure --behind --dry-run
rollouts create restart --spoke oak -q >ROLLOUT
usage oak
spokes addons oak
spokes list --addon mod_attendance
usage north --days 30
rollouts list
rollouts show $ROLLOUT
rollouts pause $ROLLOUT
rollouts watch $ROLLOUT =1
rollouts resume $ROLLOUT
rollouts abort $ROLLOUT
spokes suspend oak --no-wait
spokes resume oak --no-wait
spokes update oak --name Oak --mail held --no-wait
${ACTIONS.split(" ").map((name) => `spokes ${name} oak --no-wait`).join("\n")}
spokes resize oak --size large --no-wait
spokes upgrade oak --to newest --no-wait =2
spokes reset-admin-password oak --no-wait =5
spokes suspend-person oak --email cy@school.example --no-wait =5
spokes reinstate-person oak --email cy@school.example --no-wait =5
spokes retry oak --no-wait =5
spokes suspend oak elm --no-wait =5
spokes reapply oak --no-wait =5
spokes configure oak --no-wait =5
spokes open oak
spokes open oak --sign-in =5
spokes operations oak
spokes logs oak =3
spokes activity oak
spokes backups oak
spokes members oak
spokes delegate oak bo@school.example
spokes remove-member oak bo@school.example
spokes destroy elm --yes --no-wait
hubs destroy north --yes =5
operations list --state failed
operations list --hub north
operations list --spoke oak --limit 1 -q >OPERATION
operations show $OPERATION
operations watch $OPERATION --timeout 1s =6
events follow nowhere =3
webhooks create https://93.184.216.34/hook --hub north --event SpokeUpdateFailed
webhooks create https://10.0.0.1/ =2
webhooks create https://93.184.216.34/hook
webhooks list --hub north -q >WEBHOOK
webhooks list
webhooks show $WEBHOOK
webhooks update $WEBHOOK --all-events --description Tickets
webhooks update $WEBHOOK =2
webhooks disable $WEBHOOK
webhooks enable $WEBHOOK --from-now
webhooks rotate $WEBHOOK
webhooks deliveries $WEBHOOK
webhooks redeliver $WEBHOOK whd_0123456789abcdefghjkmnpqrs =3
webhooks test whk_0123456789abcdefghjkmnpqrs =3
webhooks listen --hub north =2
webhooks listen --hub nowhere --forward http://localhost:1/ =3
webhooks delete $WEBHOOK
requests create south -q >REQUEST
requests list
requests show $REQUEST
requests approve $REQUEST
requests create east -q >OTHER
requests reject $OTHER Later
requests create core -q >THIRD
requests withdraw $THIRD
restore-requests create oak bak_0 Lost =5
restore-requests list
restore-requests list oak
restore-requests done rsr_0123456789abcdefghjkmnpqrs =3
restore-requests decline rsr_0123456789abcdefghjkmnpqrs Later =3
notifications list --limit 1 -q >NOTICE
notifications count
notifications read $NOTICE
notifications read --all
users list
users show ${EMAIL}
users show usr_0123456789abcdefghjkmnpqrs =3
users update stranger@example.org --name Somebody
audit list
audit export
tokens list
tokens create nightly --email ${EMAIL} --password
tokens list --limit 1 -q >TOKEN
tokens revoke $TOKEN
`.trim().split("\n");

const INPUTS: readonly (readonly [RegExp, string])[] = [[/--password/, PASSWORD], [
  /-f -/,
  "[{hub: north, slug: elm}]",
]];

test("exit with the expected status", async ({ cli }) => {
  const found: Record<string, string> = {}, wrong: string[] = [];
  for (const each of LINES) {
    const [, text, status = "0", name] = /^(.*?)(?: =(\d))?(?: >(\w+))?$/.exec(each)!;
    const line = text!.split(" ").map((word) => word.startsWith("$") ? found[word.slice(1)]! : word);
    const [, input = ""] = INPUTS.find(([pattern]) => pattern.test(text!)) ?? [];
    const ran = await cli.run(line, input);
    if (ran.status !== Number(status) || ran.err.includes("report it")) wrong.push(`${each}: ${ran.status} ${ran.err}`);
    if (name) found[name] = ran.out.trim();
  }
  assert.equal(wrong, []);
});

test("are all in the table", async () => {
  const loaded = await Promise.all(CLIENT_COMMANDS.map(({ name }) => loadCommand(name)));
  const all = loaded.flatMap((noun) =>
    noun!.verbs.flatMap(({ name, local }) => local ? [] : [`${noun!.name} ${name}`.trim()])
  );
  assert.equal(all.filter((verb) => !LINES.some((line) => `${line} `.startsWith(`${verb} `))), []);
});

/** The endpoints without a verb. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  "pages behind links in emails": ["acceptInvite", "resetPassword", "verifyEmail"],
  "before the sign-in, in the portal": ["forgotPassword", "signup"],
  "by the portal's pages to approve a sign-in from a terminal": [
    ...["createTerminalCode", "decideDeviceSignIns", "findDeviceSignIns"],
  ],
  "by a login with the browser, see browser-login.test.ts": [
    "createDeviceSignIn",
    "createTerminalToken",
    "redeemDeviceSignIns",
  ],
  "with a session, in the portal": [
    ...["updateMe", "changePassword", "listSessions", "deleteSession", "deleteOtherSessions", "resetUserPassword"],
    ...["getOnboarding", "completeOnboarding"],
    ...["listProviders", "listIdentities", "deleteIdentity", "listUserIdentities", "deleteUserIdentity"],
  ],
  "with a second factor, in the portal": [
    ...["activateFactor", "confirm", "createFactor", "createRecoveryCode", "deleteFactor", "deleteUserFactors"],
    ...["getSecondFactor", "listFactors", "secondFactor", "updateFactor", "createPasskeyOption", "passkeyLogin"],
  ],
  "like those that find a webhook by its ID alone": [
    ...["deleteFederationWebhook", "getFederationWebhook", "updateFederationWebhook", "testFederationWebhook"],
    ...["rotateSecretFederationWebhook", "listFederationWebhookDeliveries", "redeliverFederationWebhookDelivery"],
  ],
  "for monitors, feed readers and generators": ["getHealthz", "getReadyz", "getChangelogFeed", "getOpenApi"],
  "called when an endpoint is missing": ["getVersion"],
};

test("call every endpoint except the listed ones", ({ endpoints }) => {
  assert.equal(
    Object.keys(ENDPOINTS).filter((name) => !endpoints.has(name)).sort(),
    Object.values(WITHOUT).flat().sort(),
  );
});

test.run();
