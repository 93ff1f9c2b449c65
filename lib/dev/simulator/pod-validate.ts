/** What a pod's spec must be: its containers, their volumes, names and resources. */
import type { Json } from "#lib/dev/simulator/object.ts";
import { amount, QUANTITY_RULE, readQuantity } from "#lib/dev/simulator/quantity.ts";
import { type Cause, required, wrongValue } from "#lib/dev/simulator/refusal.ts";
import { duplicate } from "#lib/dev/simulator/rules/causes.ts";
import { badImage, badMounts, badPorts, badProbes, badVariables } from "#lib/dev/simulator/rules/containers.ts";
import { badPlace, badSecurity, badVolumes } from "#lib/dev/simulator/rules/pods.ts";

/** `claims` are a StatefulSet's claim templates, which are volumes of its pods, too. */
export function badContainers(field: string, spec: Json, claims: readonly Json[] = []): Cause[] {
  const names = [
    ...(spec.volumes ?? []).map((volume: Json) => volume.name),
    ...claims.map((each) => each.metadata?.name),
  ];
  const volumes = new Set<string>(names);
  const seen = new Set<string>();
  const containers: Json[] = spec.containers ?? [];
  return [
    ...badVolumes(`${field}.volumes`, spec.volumes ?? []),
    ...(containers.length === 0 ? [required(`${field}.containers`)] : []),
    ...containers.flatMap((container, i) => badContainer(`${field}.containers[${i}]`, container, volumes, seen)),
    ...(spec.initContainers ?? []).flatMap((container: Json, i: number) =>
      badContainer(`${field}.initContainers[${i}]`, container, volumes, seen)
    ),
    ...badPlace(field, spec),
  ];
}

function badContainer(field: string, container: Json, volumes: ReadonlySet<string>, seen: Set<string>): Cause[] {
  const { name, image, volumeMounts = [], env = [], ports = [], resources = {}, securityContext = {} } = container;
  const twice = name && seen.has(name);
  seen.add(name);
  return [
    ...(name ? [] : [required(`${field}.name`)]),
    ...(twice ? [duplicate(`${field}.name`, name)] : []),
    ...badImage(`${field}.image`, image),
    ...badPorts(`${field}.ports`, ports),
    ...badVariables(`${field}.env`, env),
    ...badMounts(`${field}.volumeMounts`, volumeMounts, volumes),
    ...badProbes(field, container),
    ...badResources(`${field}.resources`, resources),
    ...badSecurity(`${field}.securityContext`, securityContext),
  ];
}

const STANDARD = /^(cpu|memory|ephemeral-storage|hugepages-.+)$|\//;

function badResources(field: string, { requests = {}, limits = {} }: Json): Cause[] {
  const each = (["requests", "limits"] as const).flatMap((which) =>
    Object.entries<string>(which === "requests" ? requests : limits).flatMap(([name, text]) =>
      badResource(`${field}.${which}[${name}]`, name, text)
    )
  );
  const over = Object.entries<string>(requests).filter(([name, text]) =>
    limits[name] && amount(text) > amount(limits[name])
  )
    .map(([name, text]) =>
      wrongValue(`${field}.requests`, text, `must be less than or equal to ${name} limit of ${limits[name]}`)
    );
  return [...each, ...over];
}

function badResource(field: string, name: string, text: string): Cause[] {
  if (readQuantity(text) === null) return [wrongValue(field, text, QUANTITY_RULE)];
  if (!STANDARD.test(name)) {
    return [
      wrongValue(field, name, "must be a standard resource type or fully qualified"),
      wrongValue(field, name, "must be a standard resource for containers"),
    ];
  }
  return amount(text) < 0 ? [wrongValue(field, text, "must be greater than or equal to 0")] : [];
}
