/** Computes a spoke's inputs after a change of its settings or domain. Pure. */
import { isDeepStrictEqual } from "node:util";
import { titleOf } from "#lib/moodle/expected-objects.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { keyOfHost } from "#lib/moodle/names.ts";
import type { SpokeStep } from "#lib/moodle/blueprint-files.ts";
import type { SeedPart } from "#lib/moodle/seed.ts";
import { CERTIFICATE } from "#lib/moodle/values.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

type Words = Pick<SpokeInputs, "displayName" | "adminEmail" | "brand">;

/** The inputs that the operation `configure` can change. */
export type Configured = Words & Pick<SpokeInputs, "host" | "certificate" | "formerHosts" | "mailHeld">;

export function configuredPart(inputs: SpokeInputs): Configured {
  const { host, certificate, formerHosts = [], mailHeld } = inputs;
  const certified = certificate === undefined ? {} : { certificate };
  return { ...wordsPart(inputs), host, ...certified, formerHosts, ...(mailHeld !== undefined && { mailHeld }) };
}

export function wordsPart({ displayName, adminEmail, brand }: Words): Words {
  return { displayName, adminEmail, brand };
}

/** Returns the parts of the seed that must run again on an existing site. */
export function changedParts(before: Words, after: Words): SeedPart[] {
  return [
    ...(before.displayName !== after.displayName ? ["title" as const] : []),
    ...(before.adminEmail !== after.adminEmail ? ["administrator" as const] : []),
    ...(before.brand?.name !== after.brand?.name ? ["brand" as const] : []),
  ];
}

/**
 * Returns the inputs with this host. The previous host becomes a redirect, and the former hosts in `kept` remain
 * redirects. Each host has its own certificate: a former host may no longer resolve, and would make a shared
 * certificate fail validation.
 */
export function movedInputs(inputs: SpokeInputs, host: string, kept: readonly string[]): SpokeInputs {
  const { certificate = CERTIFICATE, formerHosts = [] } = inputs;
  const still = formerHosts.filter((former) => kept.includes(former.host) && former.host !== host);
  if (host === inputs.host) return { ...inputs, formerHosts: still };
  const known = formerHosts.find((former) => former.host === host)?.certificate;
  return {
    ...inputs,
    host,
    certificate: known ?? `${CERTIFICATE}-${keyOfHost(host)}`,
    formerHosts: [...still, { host: inputs.host, certificate }],
  };
}

/** Returns the objects of these steps that exist before and after the change, and that it changes. */
export function changedObjects(
  blueprint: Pick<Blueprint, "spokeObjects">,
  before: SpokeInputs,
  after: SpokeInputs,
  steps: readonly SpokeStep[],
): KubeObject[] {
  return steps.flatMap((step) => {
    const old = new Map(blueprint.spokeObjects(before, step).map((object) => [titleOf(object), object]));
    return blueprint.spokeObjects(after, step).filter((object) => {
      const there = old.get(titleOf(object));
      return there !== undefined && !isDeepStrictEqual(there, object);
    });
  });
}

/** Returns the Ingresses of `before` with the rules of `after` added, so that both hosts lead to the site. */
export function withBothNames(before: readonly KubeObject[], after: readonly KubeObject[]): KubeObject[] {
  return before.map((object) => {
    const other = after.find((each) => titleOf(each) === titleOf(object));
    if (!other || isDeepStrictEqual(object, other)) return object;
    const both = (field: string): unknown[] => [...object["spec"][field] ?? [], ...other["spec"][field] ?? []];
    const tls = both("tls");
    return { ...object, spec: { ...object["spec"], ...(tls.length > 0 && { tls }), rules: both("rules") } };
  });
}
