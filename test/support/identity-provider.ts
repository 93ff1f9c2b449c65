/** Starts a real OpenID Connect provider over https on the loopback interface, with the certificate for `localhost`. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tlsFile } from "#test/support/secure-server.ts";

export interface IdentityProvider {
  /** The issuer, such as `https://localhost:40123`. */
  readonly issuer: string;
  readonly clientId: string;
  /** The person who signs in, without a page of the provider. Null is a person who declines. */
  person: { readonly sub: string; readonly email?: string; readonly email_verified?: boolean } | null;
  /** Returns the clients that sites have registered and not deleted. */
  registered(): Promise<readonly RegisteredClient[]>;
  /** Deletes a client, as an administrator of the provider could. */
  forget(clientId: string): Promise<void>;
  /** Is called after each request, before the response: `drop` closes the connection instead. */
  beforeResponse: (request: IncomingMessage) => "send" | "drop" | "fail";
  close(): Promise<void>;
}

interface RegisteredClient {
  readonly clientId: string;
  readonly clientName: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

interface GrantContext {
  readonly oidc: { readonly session: { readonly accountId: string }; readonly client: { readonly clientId: string } };
}

/** The token with which sites may register clients. */
export const INITIAL_ACCESS_TOKEN = "the-token-for-registrations";

/** `otherIssuer` is an issuer that the provider announces instead of its own. */
export async function openIdentityProvider(otherIssuer?: string, registers = true): Promise<IdentityProvider> {
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
      token_endpoint_auth_method: "client_secret_post",
      redirect_uris: [
        "https://ash.school.example/admin/oauth2callback.php",
        "http://ash.spokes.example.org/admin/oauth2callback.php",
      ],
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["given_name"] },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => identityProvider.person }),
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    cookies: { keys: ["a key of this test"] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registers, initialAccessToken: INITIAL_ACCESS_TOKEN },
      registrationManagement: { enabled: registers, rotateRegistrationAccessToken: true },
    },
    interactions: { url: () => "/sign-in" },
  });
  provider.proxy = true;
  const ids: string[] = [], handle = provider.callback();
  provider.on("registration_create.success", (_: unknown, client: RegisteredClient) => void ids.push(client.clientId));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const end = response.end.bind(response) as (...chunks: unknown[]) => ServerResponse;
    response.end = ((...chunks: unknown[]) => {
      const fate = identityProvider.beforeResponse(request);
      if (fate === "send") return end(...chunks);
      if (fate === "fail") return response.writeHead(503).flushHeaders(), end();
      request.socket.destroy();
      return response;
    }) as ServerResponse["end"];
    if (!request.url!.startsWith("/sign-in")) return handle(request, response);
    const { person } = identityProvider;
    const result = person
      ? { login: { accountId: person.sub } }
      : { error: "access_denied", error_description: "Declined" };
    provider.interactionFinished(request, response, result).catch(() => response.destroy());
  });
  const identityProvider: IdentityProvider = {
    issuer,
    clientId,
    person: null,
    registered: async () => (await Promise.all(ids.map((id) => provider.Client.find(id)))).filter(Boolean),
    forget: (id) => provider.Client.adapter.destroy(id),
    beforeResponse: () => "send",
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return identityProvider;
}
