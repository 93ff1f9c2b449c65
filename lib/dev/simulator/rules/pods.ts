/** What a pod must be besides its containers: volumes, the security of it all, where it may run. */
import type { Json } from "#lib/dev/simulator/object.ts";
import type { Cause } from "#lib/dev/simulator/refusal.ts";
import {
  all,
  duplicate,
  forbiddenField,
  outside,
  repeated,
  required,
  unsupported,
  wrong,
  wrongValue,
} from "#lib/dev/simulator/rules/causes.ts";
import { badLabelKey } from "#lib/dev/simulator/rules/names.ts";
import { LABEL, LABEL_RULE } from "#lib/dev/simulator/schema/values.ts";

const LARGEST = 2 ** 31 - 1;
const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];
/** What names the source of a volume of this type. */
const NAMED = { secret: "secretName", configMap: "name", persistentVolumeClaim: "claimName" };

export function badVolumes(field: string, volumes: readonly Json[]): Cause[] {
  return all(
    volumes.flatMap((volume, i) => {
      const [, second] = Object.keys(volume).filter((name) => name !== "name" && volume[name] !== undefined);
      return all(
        !volume.name && required(`${field}[${i}].name`),
        second && forbiddenField(`${field}[${i}].${second}`, "may not specify more than 1 volume type"),
        Object.entries(NAMED).filter(([type, name]) => volume[type] && !volume[type][name])
          .map(([type, name]) => required(`${field}[${i}].${type}.${name}`)),
      );
    }),
    repeated(volumes, ({ name }) => name).map(({ item, at }) => duplicate(`${field}[${at}].name`, item.name)),
  );
}

export function badPlace(field: string, spec: Json): Cause[] {
  const { nodeSelector = {}, tolerations = [], hostname, activeDeadlineSeconds: deadline } = spec;
  const valueless = "value must be empty when `operator` is 'Exists'";
  return all(
    Object.keys(nodeSelector).flatMap((key) => wrong(`${field}.nodeSelector`, key, badLabelKey(key))),
    tolerations.flatMap(({ operator, value }: Json, i: number) =>
      all(operator === "Exists" && value && wrongValue(`${field}.tolerations[${i}].operator`, value, valueless))
    ),
    hostname !== undefined && !(LABEL.test(hostname) && hostname.length <= 63) &&
      wrongValue(`${field}.hostname`, hostname, LABEL_RULE),
    deadline !== undefined && outside(`${field}.activeDeadlineSeconds`, deadline, 1, LARGEST),
    badSecurity(`${field}.securityContext`, spec.securityContext ?? {}),
  );
}

export function badSecurity(field: string, context: Json): Cause[] {
  const { seccompProfile: profile, privileged, allowPrivilegeEscalation } = context;
  const ids = ["runAsUser", "runAsGroup", "fsGroup"].filter((name) => context[name] !== undefined);
  const both = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
  return all(
    ids.flatMap((name) => outside(`${field}.${name}`, context[name], 0, LARGEST)),
    profile !== undefined && badProfile(`${field}.seccompProfile`, profile),
    privileged === true && allowPrivilegeEscalation === false && wrongValue(field, context, both),
  );
}

function badProfile(field: string, { type, localhostProfile }: Json): Cause[] {
  if (!type) return [required(`${field}.type`)];
  if (!PROFILES.includes(type)) return [unsupported(`${field}.type`, type, PROFILES)];
  const at = `${field}.localhostProfile`, local = type === "Localhost";
  return all(
    local && !localhostProfile && required(at, "must be set when seccomp type is Localhost"),
    !local && localhostProfile && forbiddenField(at, "must be set only when seccomp type is Localhost"),
  );
}
