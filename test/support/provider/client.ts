/** Connects the `stripe` package, which is the provider's own client, to the simulated provider. */
import Stripe from "stripe";
import type { Provider } from "#test/support/provider/provider.ts";

/** Creates a client that does not retry, except that the package always retries once after a broken connection. */
export function clientOf({ url, key }: Pick<Provider, "url" | "key">, timeout = 30_000): Stripe {
  const { hostname: host, port } = new URL(url);
  return new Stripe(key, {
    host,
    port: Number(port),
    protocol: "http",
    maxNetworkRetries: 0,
    timeout,
    telemetry: false,
  });
}
