/** Pure functions that compute a spoke's inputs after a change to its settings or domain. */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { formatObjectTitle } from "#lib/moodle/expected-objects.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { hashHost } from "#lib/moodle/names.ts";
import type { SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import type { SeedPart } from "#lib/moodle/seed.ts";
import { listRedirectUris, registersClient } from "#lib/moodle/sign-on.ts";
import { listChangedSections } from "#lib/moodle/policy-values.ts";
import { DEFAULT_CERTIFICATE_NAME } from "#lib/moodle/values.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

type SiteAddress = Pick<SpokeInputs, "https" | "host" | "port" | "formerHosts">;
type SiteDetails = Pick<
  ConfigurableSpokeInputs,
  "displayName" | "adminEmail" | "identity" | "content" | "contentMode" | "brand" | "shared"
>;

export const ConfigurableSpokeInputs = v.object({
  ...v.pick(
    SpokeInputs,
    ["displayName", "adminEmail", "brand", "shared", "host", "certificate", "formerHosts", "mailHeld"],
  ).entries,
  /** Absent in operations that an earlier release started. */
  identity: v.optional(SpokeInputs.entries.identity),
  content: v.optional(SpokeInputs.entries.content),
  contentMode: v.optional(SpokeInputs.entries.contentMode),
});
export type ConfigurableSpokeInputs = v.InferOutput<typeof ConfigurableSpokeInputs>;

export function pickConfigurableInputs(inputs: SpokeInputs): ConfigurableSpokeInputs {
  const { host, certificate, formerHosts = [], mailHeld } = inputs;
  const certificateField = certificate === undefined ? {} : { certificate };
  return {
    ...pickSiteDetails(inputs),
    host,
    ...certificateField,
    formerHosts,
    ...(mailHeld !== undefined && { mailHeld }),
  };
}

export function pickSiteDetails(details: SiteDetails): SiteDetails {
  const { displayName, adminEmail, identity, content, contentMode, brand, shared } = details;
  return {
    displayName,
    adminEmail,
    ...(identity !== undefined && { identity }),
    ...(content !== undefined && { content }),
    ...(contentMode !== undefined && { contentMode }),
    brand,
    ...(shared && { shared }),
  };
}

/** Returns the parts of the seed (initial content) that must be applied again after a change to a site's details. */
export function listChangedSeedParts(before: SiteDetails & SiteAddress, after: SiteDetails & SiteAddress): SeedPart[] {
  const sections = listChangedSections(before.shared, after.shared);
  return [
    ...(before.displayName !== after.displayName ? ["title" as const] : []),
    ...(before.adminEmail !== after.adminEmail ? ["administrator" as const] : []),
    ...(before.brand?.name !== after.brand?.name || sections.includes("brand") ? ["brand" as const] : []),
    ...(sections.includes("settings") ? ["settings" as const] : []),
    ...(before.identity !== after.identity || sections.includes("signIn") || movesClient(before, after)
      ? ["sign-on" as const]
      : []),
  ];
}

/** Whether the site's own client at the identity provider needs other redirect addresses. */
function movesClient(before: SiteAddress, after: Pick<SiteDetails, "shared"> & SiteAddress): boolean {
  return registersClient(after.shared?.signIn?.values) &&
    !isDeepStrictEqual(listRedirectUris(before), listRedirectUris(after));
}

/**
 * Returns the inputs with a new host. The previous host and the hosts in `redirectHosts` redirect to the new host. Each
 * host has its own certificate, because a shared certificate fails validation if one former host no longer resolves.
 */
export function changeSiteHost(inputs: SpokeInputs, host: string, redirectHosts: readonly string[]): SpokeInputs {
  const { certificate = DEFAULT_CERTIFICATE_NAME, formerHosts = [] } = inputs;
  const remaining = formerHosts.filter((former) => redirectHosts.includes(former.host) && former.host !== host);
  if (host === inputs.host) return { ...inputs, formerHosts: remaining };
  const existingCertificate = formerHosts.find((former) => former.host === host)?.certificate;
  return {
    ...inputs,
    host,
    certificate: existingCertificate ?? `${DEFAULT_CERTIFICATE_NAME}-${hashHost(host)}`,
    formerHosts: [...remaining, { host: inputs.host, certificate }],
  };
}

/** Returns the objects of the given steps that change with the new inputs. Omits added and removed objects. */
export function findChangedObjects(
  blueprint: Pick<Blueprint, "spokeObjects">,
  before: SpokeInputs,
  after: SpokeInputs,
  steps: readonly SpokeInstallStep[],
): KubeObject[] {
  return steps.flatMap((step) => {
    const old = new Map(blueprint.spokeObjects(before, step).map((object) => [formatObjectTitle(object), object]));
    return blueprint.spokeObjects(after, step).filter((object) => {
      const previous = old.get(formatObjectTitle(object));
      return previous !== undefined && !isDeepStrictEqual(previous, object);
    });
  });
}

/** Adds the rules of the new Ingresses to the old Ingresses, so that the old and the new host both reach the site. */
export function mergeIngressRules(before: readonly KubeObject[], after: readonly KubeObject[]): KubeObject[] {
  return before.map((object) => {
    const other = after.find((each) => formatObjectTitle(each) === formatObjectTitle(object));
    if (!other || isDeepStrictEqual(object, other)) return object;
    const concat = (field: string): unknown[] => [...object["spec"][field] ?? [], ...other["spec"][field] ?? []];
    const tls = concat("tls");
    return { ...object, spec: { ...object["spec"], ...(tls.length > 0 && { tls }), rules: concat("rules") } };
  });
}
