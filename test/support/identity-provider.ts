/** Starts a real OpenID Connect provider over https on the loopback interface, with the certificate for `localhost`. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tlsFile } from "#test/support/secure-server.ts";

export interface IdentityProvider {
  /** The issuer, such as `https://localhost:40123`. */
  readonly issuer: string;
  readonly clientId: string;
  close(): Promise<void>;
}

/** `otherIssuer` is an issuer that the provider announces instead of its own. */
export async function openIdentityProvider(otherIssuer?: string): Promise<IdentityProvider> {
  const name: string = "oidc-provider"; // has no types
  const { default: Provider } = await import(name);
  const server = createServer({
    cert: await readFile(tlsFile("server.crt")),
    key: await readFile(tlsFile("server.key")),
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`, clientId = "moodle";
  const provider = new Provider(otherIssuer ?? issuer, {
    clients: [{
      client_id: clientId,
      client_secret: "the client secret",
      redirect_uris: ["https://ash.school.example/admin/oauth2callback.php"],
    }],
    cookies: { keys: ["a key of this test"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => "/sign-in" },
  });
  provider.proxy = true;
  server.on("request", provider.callback());
  return {
    issuer,
    clientId,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
