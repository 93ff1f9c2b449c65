import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "#lib/base/config.ts";
import { mail, NEVER_ABORTED_SIGNAL } from "./smtp-pair.ts";
import { openMailTransport } from "#lib/drivers/mail/open.ts";
import { recordTelemetry } from "#test/support/recorded-telemetry.ts";
import { openSmtpServer } from "#test/support/smtp.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("openMailTransport");
const ENOUGH = {
  PUBLIC_URL: "https://hubs.example.org",
  ROOT_DOMAIN: "spokes.example.org",
  DATABASE_URL: "postgres://db.example/x",
  KUBECONFIG: "/kube/config",
};

test("returns null without a mail server", () => {
  assert.is(openMailTransport(readConfig({ mode: "serve", env: ENOUGH, terminal: false })), null);
});

test("opens SMTP with a mail server, and files in dev mode", () => {
  const smtp = { SMTP_HOST: "mail.example", SMTP_FROM: "hubs@example.org" };
  for (const [mode, env] of [["serve", { ...ENOUGH, ...smtp }], ["dev", {}], ["dev", smtp]] as const) {
    const post = openMailTransport(readConfig({ mode, env, terminal: false }));
    assert.ok(post);
    post.close();
  }
});

test("records a span for each email without its content", async () => {
  const smtp = await openSmtpServer(), { telemetry, spans } = recordTelemetry();
  const post = openMailTransport(
    readConfig({ mode: "serve", env: { ...ENOUGH, ...smtp.env }, terminal: false }),
    telemetry,
  )!;
  await post.send(mail, NEVER_ABORTED_SIGNAL);
  await smtp.close();
  await rejection(post.send(mail, NEVER_ABORTED_SIGNAL));
  post.close();
  assert.equal(spans.map(({ kind, outcome, labels, details }) => [kind, outcome, labels, details]), [
    ["mail", "succeeded", {}, {}],
    ["mail", "failed", {}, {}],
  ]);
});

test.run();
