/** Creates the clients for servers on the internet whose addresses customers choose. */
import type { Config } from "#lib/base/config.ts";
import { type DnsClient, openDnsClient } from "#lib/drivers/dns/dns.ts";
import { openSitePages, type SitePages } from "#lib/drivers/sites/site-pages.ts";
import { openWebhookSender, type WebhookSender } from "#lib/drivers/webhooks/sender.ts";

export interface OutgoingClients {
  readonly dns: DnsClient;
  /** Requests pages of sites at their public addresses. */
  readonly sitePages: SitePages;
  /** Sends messages to the receivers of webhooks. */
  readonly webhookSender: WebhookSender;
}

/** Creates the clients, and a function that closes them. `version` is the version of this program. */
export function openOutgoingClients(
  { dnsServers, sitePort, webhookNetworks }: Pick<Config, "dnsServers" | "sitePort" | "webhookNetworks">,
  version: string,
): { readonly clients: OutgoingClients; readonly close: () => void } {
  const dns = openDnsClient(dnsServers), sitePages = openSitePages({ dns, localPort: sitePort });
  const webhookSender = openWebhookSender({ lookUp: dns.addresses, allowedNetworks: webhookNetworks, version });
  return {
    clients: { dns, sitePages, webhookSender },
    close() {
      sitePages.close();
      webhookSender.close();
    },
  };
}
