/** What a change of words, look and address makes of what a spoke is made from. Pure. */
import { isDeepStrictEqual } from "node:util";
import { titleOf } from "#lib/moodle/expected.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/load.ts";
import { keyOfHost } from "#lib/moodle/names.ts";
import type { SpokeStep } from "#lib/moodle/files.ts";
import type { SeedPart } from "#lib/moodle/seed.ts";
import { CERTIFICATE } from "#lib/moodle/values.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

type Words = Pick<SpokeInputs, "displayName" | "adminEmail" | "brand">;

/** What of a spoke's inputs can be asked to be other than it is. */
export type Configured = Words & Pick<SpokeInputs, "host" | "certificate" | "formerHosts" | "mailHeld">;

export function configuredPart(inputs: SpokeInputs): Configured {
  const { host, certificate, formerHosts = [], mailHeld } = inputs;
  const certified = certificate === undefined ? {} : { certificate };
  return { ...wordsPart(inputs), host, ...certified, formerHosts, ...(mailHeld !== undefined && { mailHeld }) };
}

export function wordsPart({ displayName, adminEmail, brand }: Words): Words {
  return { displayName, adminEmail, brand };
}

/** What of a site that is set up has to be set anew. */
export function changedParts(before: Words, after: Words): SeedPart[] {
  return [
    ...(before.displayName !== after.displayName ? ["title" as const] : []),
    ...(before.adminEmail !== after.adminEmail ? ["administrator" as const] : []),
    ...(before.brand?.name !== after.brand?.name ? ["brand" as const] : []),
  ];
}

/**
 * The spoke under this host: the one that it leaves leads there, and so do those of the former ones that are `kept`.
 * Each host has a certificate of its own, for the former one may be gone from DNS, and could not be proved with the new
 * one.
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

/** What these steps make before and after, and becomes another by the change. */
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

/** The Ingresses of the one with the rules of the other besides, so that both names lead to the site. */
export function withBothNames(before: readonly KubeObject[], after: readonly KubeObject[]): KubeObject[] {
  return before.map((object) => {
    const other = after.find((each) => titleOf(each) === titleOf(object));
    if (!other || isDeepStrictEqual(object, other)) return object;
    const both = (field: string): unknown[] => [...object["spec"][field] ?? [], ...other["spec"][field] ?? []];
    const tls = both("tls");
    return { ...object, spec: { ...object["spec"], ...(tls.length > 0 && { tls }), rules: both("rules") } };
  });
}
