/**
 * Refreshes a kubeconfig user's ID token at an OIDC provider, as kubectl does. The Kubernetes library (2.0.1) cannot do
 * this, because it passes a string where its OpenID package expects a URL object.
 */
import { sendHttpRequest } from "#lib/drivers/exchange.ts";
import { isRecord } from "#lib/drivers/cluster/client/status.ts";
import { DriverError } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

export interface IdTokens {
  readonly idToken: string;
  readonly refreshToken: string;
}

interface Provider {
  readonly config: Readonly<Record<string, string>>;
  readonly ca: Buffer | undefined;
  readonly ms: number;
  readonly signal: AbortSignal;
}

class ProviderError extends DriverError {}

/** How long before its expiry a token is renewed, in milliseconds. kubectl uses the same value. */
const MARGIN = 10 * SECOND;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Whether the ID token has expired or is about to expire. A token without a readable expiry counts as expired. */
export function isIdTokenExpired(idToken: string, now: number): boolean {
  try {
    const { exp } = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8"));
    return !(exp * SECOND - MARGIN > now);
  } catch {
    return true;
  }
}

/** Requests new tokens from the OIDC provider. If this fails, throws an Error that names the provider. */
export async function refreshIdToken(provider: Provider, refreshToken: string): Promise<IdTokens> {
  const { "idp-issuer-url": issuer = "", "client-id": id = "", "client-secret": secret = "" } = provider.config;
  if (!URL.canParse(issuer)) throw new Error("the auth provider oidc has no valid idp-issuer-url");
  const found = await send(provider, new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`));
  const endpoint = String(found.token_endpoint);
  if (!URL.canParse(endpoint)) throw new Error(`the auth provider ${issuer} has no token endpoint`);
  const methods = found.token_endpoint_auth_methods_supported;
  const isBasic = secret !== "" && !(Array.isArray(methods) && !methods.includes("client_secret_basic"));
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  if (!isBasic) form.set("client_id", id);
  if (!isBasic && secret) form.set("client_secret", secret);
  const basic = [id, secret].map(encodeURIComponent).join(":");
  const headers = isBasic ? { authorization: `Basic ${Buffer.from(basic).toString("base64")}` } : {};
  const answer = await send(provider, new URL(endpoint), form, headers);
  if (typeof answer.id_token !== "string") throw new Error(`the auth provider ${issuer} returned no id_token`);
  const renewed = typeof answer.refresh_token === "string" ? answer.refresh_token : refreshToken;
  return { idToken: answer.id_token, refreshToken: renewed };
}

async function send(
  { ca, ms, signal }: Provider,
  url: URL,
  form?: URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  if (url.protocol !== "https:") throw new Error(`the auth provider ${url.origin} does not use https`);
  const type = form && { "content-type": "application/x-www-form-urlencoded" };
  const { status, body } = await sendHttpRequest({
    method: form ? "POST" : "GET",
    url,
    headers: { accept: "application/json", ...type, ...headers },
    ...(form && { body: form.toString() }),
    options: { agent: false, ...(ca && { ca }) },
    deadline: ms,
    signals: [signal],
    maxBytes: MAX_ANSWER_BYTES,
    fail: (_, description, cause) => new ProviderError("oidc", `${description}: ${cause.message}`, { transient: true }),
  });
  const answer = status === 200 ? parseObject(body) : null;
  // Does not quote the response body, because it may contain a token.
  if (!answer) throw new Error(`${url.origin}${url.pathname} returned HTTP ${status} without a JSON object`);
  return answer;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
