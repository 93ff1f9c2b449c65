/** Connects Stripe's own client, the package `stripe`, to the simulated payment provider. */
import Stripe from "stripe";
import type { Provider } from "#test/support/provider/provider.ts";

/** Creates a Stripe client without retries. After a broken connection, the package `stripe` always retries once. */
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
