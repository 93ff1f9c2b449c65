/** Tests passkeys with Chromium's virtual authenticator: adding one, signing in without a password, and confirming. */
import * as assert from "uvu/assert";
import type { Page } from "playwright-core";
import { browserSuite } from "#test/support/browser.ts";
import { createTestFactor } from "#test/support/factors.ts";
import { ageSession, PASSWORD } from "#test/support/users.ts";
import { selectRows } from "#test/support/rows.ts";

const test = browserSuite("passkeys in a browser", { hasPublicUrl: true });

/** Gives the browser window an authenticator with PIN or biometrics, which always succeed. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function addPasskey(page: Page): Promise<void> {
  await page.goto("/account/security");
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByLabel("Name").fill("This laptop");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Create passkey" }).click();
  await page.getByRole("link", { name: "I have saved the codes" }).click();
  await page.getByRole("link", { name: "Rename … This laptop" }).waitFor();
}

test("a passkey is added, signs in without a password, and confirms a dangerous action", async ({ portal, open }) => {
  const page = await open("operator"), { db } = portal.work;
  await addAuthenticator(page);
  await addPasskey(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "Hubs", exact: true }).waitFor();
  const [session] = await selectRows(db, "sessions", {
    userId: portal.people.operator.id,
    method: "passkey",
    endedAt: null,
  });
  await ageSession(db, session);
  await page.goto("/tokens/new");
  await page.getByLabel("Name").fill("From the laptop");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText("Copy this token now.").waitFor();
  assert.equal((await selectRows(db, "api_tokens", { name: "From the laptop" })).length, 1);
});

test("a passkey is the second factor after the password", async ({ portal, open }) => {
  const page = await open("hubAdmin");
  await addAuthenticator(page);
  await addPasskey(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Email address").fill(portal.people.hubAdmin.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Hubs", exact: true }).waitFor();
});

test("a browser without the passkey reports this and still accepts a code", async ({ portal, open }) => {
  const { spokeAdmin } = portal.people, factor = await createTestFactor(portal.app, spokeAdmin);
  const page = await open("nobody");
  await page.goto("/sign-in");
  await page.getByLabel("Email address").fill(spokeAdmin.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable"); // no authenticator
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "usb", automaticPresenceSimulation: true },
  });
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("alert").getByText("The passkey was not used. Try again.").waitFor();
  await page.getByLabel("Code").fill(await factor.code());
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Hubs", exact: true }).waitFor();
});

test.run();
