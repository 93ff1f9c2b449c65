/** What a pod's spec must be: its containers, their volumes, names and resources. */
import type { Json } from "#lib/simulator/object.ts";
import { amount, QUANTITY_RULE, readQuantity } from "#lib/simulator/quantity.ts";
import { type Cause, required, wrongValue } from "#lib/simulator/refusal.ts";

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
    ...(containers.length === 0 ? [required(`${field}.containers`)] : []),
    ...containers.flatMap((container, i) => badContainer(`${field}.containers[${i}]`, container, volumes, seen)),
    ...(spec.initContainers ?? []).flatMap((container: Json, i: number) =>
      badContainer(`${field}.initContainers[${i}]`, container, volumes, seen)
    ),
  ];
}

function badContainer(field: string, container: Json, volumes: ReadonlySet<string>, seen: Set<string>): Cause[] {
  const causes: Cause[] = [];
  if (!container.name) causes.push(required(`${field}.name`));
  else if (seen.has(container.name)) {
    const message = `Duplicate value: ${JSON.stringify(container.name)}`;
    causes.push({ reason: "FieldValueDuplicate", message, field: `${field}.name` });
  }
  seen.add(container.name);
  if (!container.image) causes.push(required(`${field}.image`));
  for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
    if (!mount.mountPath) causes.push(required(`${field}.volumeMounts[${i}].mountPath`));
    if (!volumes.has(mount.name)) {
      const message = `Not found: ${JSON.stringify(mount.name)}`;
      causes.push({ reason: "FieldValueNotFound", message, field: `${field}.volumeMounts[${i}].name` });
    }
  }
  for (const [i, variable] of (container.env ?? []).entries()) {
    if (!variable.name) causes.push(required(`${field}.env[${i}].name`));
    if (variable.value && variable.valueFrom) {
      causes.push(wrongValue(`${field}.env[${i}].valueFrom`, "", "may not be specified when `value` is not empty"));
    }
  }
  return [...causes, ...badResources(`${field}.resources`, container.resources ?? {})];
}

function badResources(field: string, { requests = {}, limits = {} }: Json): Cause[] {
  const unreadable = (["requests", "limits"] as const).flatMap((which) =>
    Object.entries<string>(which === "requests" ? requests : limits).filter(([, text]) => readQuantity(text) === null)
      .map(([name, text]) => wrongValue(`${field}.${which}[${name}]`, text, QUANTITY_RULE))
  );
  const over = Object.entries<string>(requests).filter(([name, text]) =>
    limits[name] && amount(text) > amount(limits[name])
  )
    .map(([name, text]) =>
      wrongValue(`${field}.requests`, text, `must be less than or equal to ${name} limit of ${limits[name]}`)
    );
  return [...unreadable, ...over];
}
