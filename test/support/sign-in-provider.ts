/** Starts a real OpenID Connect provider over http on the loopback interface, at which people sign in to the program. */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A person at the provider. All claims but `sub` are optional, like at real providers. */
export interface ProviderPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: unknown;
}

export interface TestSignInProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The person who signs in, without a page of the provider. Null is a person who declines. */
  person: ProviderPerson | null;
  /** Changes a response's text before it is sent. Receives the path and the text. */
  rewrite: (path: string, body: string) => string;
  /** Whether the provider closes each connection instead of answering. */
  down: boolean;
  /** The paths of the requests, in order. */
  readonly requests: string[];
  /** Replaces the signing keys. Returns after the old keys are gone. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

interface ProviderOptions {
  readonly redirectUris: readonly string[];
  readonly port?: number;
  /** The issuer that the provider announces instead of its own. */
  readonly announcedIssuer?: string;
}

interface GrantContext {
  readonly oidc: { readonly session: { readonly accountId: string }; readonly client: { readonly clientId: string } };
}

const CLIENT_ID = "wheelwright", CLIENT_SECRET = "the secret of the client";

export async function openTestSignInProvider(options: ProviderOptions): Promise<TestSignInProvider> {
  const { announcedIssuer, port = 0 } = options;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "localhost", resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  let provider = await createProvider(announcedIssuer ?? issuer, options, () => opened.person);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url!, issuer).pathname;
    opened.requests.push(path);
    if (opened.down) return void request.socket.destroy();
    const end = response.end.bind(response) as (...chunks: unknown[]) => ServerResponse;
    response.end = ((chunk?: unknown, ...more: unknown[]) => {
      if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return end(chunk, ...more);
      const body = opened.rewrite(path, Buffer.from(chunk as string).toString());
      if (!response.headersSent) response.setHeader("content-length", Buffer.byteLength(body));
      return end(body);
    }) as ServerResponse["end"];
    if (path !== "/person") return void provider.callback()(request, response);
    const result = opened.person
      ? { login: { accountId: opened.person.sub } }
      : { error: "access_denied", error_description: "Declined" };
    provider.interactionFinished(request, response, result).catch(() => response.destroy());
  });
  const opened: TestSignInProvider = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    person: null,
    rewrite: (_, body) => body,
    down: false,
    requests: [],
    async rotateKeys() {
      provider = await createProvider(announcedIssuer ?? issuer, options, () => opened.person);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return opened;
}

let keys = 0;

async function createProvider(issuer: string, { redirectUris }: ProviderOptions, person: () => ProviderPerson | null) {
  const name: string = "oidc-provider"; // has no types
  const { default: Provider } = await import(name);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: `key-${++keys}`, use: "sig", alg: "RS256" }] },
    clients: [{
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: redirectUris,
      post_logout_redirect_uris: redirectUris.map((uri) => new URL("/sign-in", uri).href),
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: person }),
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    cookies: { keys: ["a key of this test"] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: () => "/person" },
    pkce: { required: () => true },
  });
  return provider;
}
