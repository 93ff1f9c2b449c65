/** What a pod must be besides its containers: volumes, the security of it all, where it may run. */
import type { Json } from "#lib/dev/simulator/object.ts";
import { type Cause, forbiddenField, required, unsupported, wrongValue } from "#lib/dev/simulator/refusal.ts";
import { duplicate, outside, repeated, wrong } from "#lib/dev/simulator/rules/causes.ts";
import { badLabelKey } from "#lib/dev/simulator/rules/names.ts";
import { LABEL, LABEL_RULE } from "#lib/dev/simulator/schema/values.ts";

const LARGEST = 2 ** 31 - 1;
const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];

export function badVolumes(field: string, volumes: readonly Json[]): Cause[] {
  return [
    ...volumes.flatMap((volume, i) => {
      const [, second] = Object.keys(volume).filter((name) => name !== "name" && volume[name] !== undefined);
      const at = `${field}[${i}]`;
      return [
        ...(volume.name ? [] : [required(`${at}.name`)]),
        ...(second ? [forbiddenField(`${at}.${second}`, "may not specify more than 1 volume type")] : []),
        ...(volume.secret && !volume.secret.secretName ? [required(`${at}.secret.secretName`)] : []),
        ...(volume.configMap && !volume.configMap.name ? [required(`${at}.configMap.name`)] : []),
        ...(volume.persistentVolumeClaim && !volume.persistentVolumeClaim.claimName
          ? [required(`${at}.persistentVolumeClaim.claimName`)]
          : []),
      ];
    }),
    ...repeated(volumes, ({ name }) => name).map(({ item, at }) => duplicate(`${field}[${at}].name`, item.name)),
  ];
}

export function badPlace(field: string, spec: Json): Cause[] {
  const { nodeSelector = {}, tolerations = [], hostname, activeDeadlineSeconds: deadline } = spec;
  return [
    ...Object.keys(nodeSelector).flatMap((key) => wrong(`${field}.nodeSelector`, key, badLabelKey(key))),
    ...tolerations.flatMap(({ operator, value }: Json, i: number) =>
      operator === "Exists" && value
        ? [wrongValue(`${field}.tolerations[${i}].operator`, value, "value must be empty when `operator` is 'Exists'")]
        : []
    ),
    ...(hostname === undefined || (LABEL.test(hostname) && hostname.length <= 63)
      ? []
      : [wrongValue(`${field}.hostname`, hostname, LABEL_RULE)]),
    ...(deadline === undefined ? [] : outside(`${field}.activeDeadlineSeconds`, deadline, 1, LARGEST)),
    ...badSecurity(`${field}.securityContext`, spec.securityContext ?? {}),
  ];
}

export function badSecurity(field: string, context: Json): Cause[] {
  const { runAsUser, runAsGroup, fsGroup, seccompProfile: profile } = context;
  const ids = { runAsUser, runAsGroup, fsGroup };
  return [
    ...Object.entries(ids).flatMap(([name, id]) => id === undefined ? [] : outside(`${field}.${name}`, id, 0, LARGEST)),
    ...(profile === undefined ? [] : badProfile(`${field}.seccompProfile`, profile)),
    ...(context.privileged === true && context.allowPrivilegeEscalation === false
      ? [wrongValue(field, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")]
      : []),
  ];
}

function badProfile(field: string, { type, localhostProfile }: Json): Cause[] {
  if (!type) return [required(`${field}.type`)];
  if (!PROFILES.includes(type)) return [unsupported(`${field}.type`, type, PROFILES)];
  const at = `${field}.localhostProfile`;
  if (type === "Localhost") {
    return localhostProfile ? [] : [required(at, "must be set when seccomp type is Localhost")];
  }
  return localhostProfile ? [forbiddenField(at, "must be set only when seccomp type is Localhost")] : [];
}
