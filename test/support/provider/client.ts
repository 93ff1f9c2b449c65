/** The provider's own package, pointed at the double. */
import Stripe from "stripe";
import type { Provider } from "#test/support/provider/provider.ts";

/** It never repeats a call by itself, but for a connection that was cut: that it always does, once. */
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
