/**
 * Starts a test provider, at which everybody is Ada, an operator, without a password. Writes the file for
 * SIGN_IN_PROVIDERS and prints its path (docs/signing-in.md). For trials on one machine only.
 *
 *     node test/sign-in-trial.ts [FILE] [PORT]
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { openTestSignInProvider } from "#test/support/sign-in-provider.ts";

const [file = ".wheelwright/providers.json", port = "3001"] = process.argv.slice(2);
const redirectUris = ["http://localhost:3000/api/auth/providers/trial/callback"];
const provider = await openTestSignInProvider({ redirectUris, port: Number(port) });
provider.person = {
  sub: "ada",
  email: "ada@school.example",
  email_verified: true,
  name: "Ada Lovelace",
  groups: ["wheelwright-operators"],
};
const { issuer, clientId, clientSecret } = provider;
const settings = { signUp: true, roles: { "wheelwright-operators": "operator" } };
await mkdir(dirname(resolve(file)), { recursive: true });
await writeFile(
  file,
  `${JSON.stringify([{ id: "trial", label: "Trial", issuer, clientId, clientSecret, ...settings }])}\n`,
);
process.stdout.write(`The test provider runs at ${issuer}. Start Wheelwright with SIGN_IN_PROVIDERS=${file}\n`);
