/** Checks a cluster's storage, snapshot and ingress classes, and its certificate issuer. Pure. */
import type { ClusterSettings } from "#lib/moodle/sizes.ts";
import { conditionOf } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import {
  failing,
  type Finding,
  listWords,
  passing,
  type ReadResult,
  unknownFinding,
  warning,
} from "#lib/doctor/finding.ts";

const DEFAULTS = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
const ELSEWHERE = "or name another in surroundings.yaml, or for the region in the catalogue";

export function checkStorageClasses(
  classes: ReadResult<readonly KubeObject[]>,
  { storageClass }: ClusterSettings,
): Finding[] {
  const check = "storage";
  if (!("seen" in classes)) return [unknownFinding(check, classes)];
  const defaults = classes.seen.filter(isDefault);
  const chosen = findStorage(classes.seen, storageClass);
  if (storageClass !== undefined && !chosen) {
    return [failing(check, `there is no storage class ${storageClass}`, `Make it, ${ELSEWHERE}.`)];
  }
  if (!chosen) {
    const names = classes.seen.map(({ metadata }) => metadata.name);
    const there = names.length > 0 ? `, only ${listWords(names)}` : "";
    return [failing(
      check,
      `there is no default storage class${there}`,
      names.length > 0
        ? `Annotate one with ${DEFAULTS[0]}=true, or name one as storageClass in surroundings.yaml.`
        : "Install a storage driver (CSI) and its class.",
    )];
  }
  const name = chosen.metadata.name;
  const grows = chosen["allowVolumeExpansion"] === true;
  const binding = chosen["volumeBindingMode"] === "WaitForFirstConsumer" ? "bound when a pod comes" : "bound at once";
  const which = storageClass === undefined ? `${name}, the default` : name;
  const findings = [
    grows ? passing(check, `class ${which}: disks can grow, ${binding}`) : warning(
      check,
      `class ${which}: disks cannot grow, ${binding}`,
      "Set allowVolumeExpansion: true on it if its driver can; until then no spoke gets a larger disk.",
    ),
  ];
  if (storageClass === undefined && defaults.length > 1) {
    const names = listWords(defaults.map(({ metadata }) => metadata.name));
    findings.push(warning(
      check,
      `there are ${defaults.length} default storage classes, ${names}; the cluster takes the newest, ${name}`,
      `Take the annotation ${DEFAULTS[0]} off all but one.`,
    ));
  }
  return findings;
}

/**
 * Returns the storage class of a PVC: the named class, or else the default one. If several are the default, returns the
 * newest (as Kubernetes does since 1.26).
 */
function findStorage(classes: readonly KubeObject[], name: string | undefined): KubeObject | undefined {
  if (name !== undefined) return classes.find(({ metadata }) => metadata.name === name);
  const born = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? "";
  return classes.filter(isDefault).toSorted((a, b) =>
    born(b).localeCompare(born(a)) || a.metadata.name.localeCompare(b.metadata.name)
  )[0];
}

function isDefault({ metadata }: KubeObject): boolean {
  return DEFAULTS.some((name) => metadata.annotations?.[name] === "true");
}

/** Checks the snapshot classes. `snapshots` is null if the cluster does not serve the kind. */
export function checkSnapshotClasses(
  classes: ReadResult<readonly KubeObject[]>,
  snapshots: ReadResult<readonly KubeObject[] | null>,
  { storageClass, snapshotClass }: ClusterSettings,
): Finding {
  const check = "snapshots";
  if (!("seen" in snapshots)) return unknownFinding(check, snapshots);
  if (snapshots.seen === null) {
    return warning(
      check,
      "backups are not possible: the cluster knows no VolumeSnapshots",
      "Install the snapshot controller and its CRDs, and a storage driver that takes snapshots.",
    );
  }
  const driver = "seen" in classes ? findStorage(classes.seen, storageClass)?.["provisioner"] : undefined;
  if (driver === undefined) {
    return warning(check, "could not be checked: it is not known which driver the disks are of");
  }
  if (snapshotClass !== undefined) return checkNamedClass(check, snapshots.seen, snapshotClass, driver);
  const own = snapshots.seen.filter((each) => each["driver"] === driver);
  const keeping = own.find((each) => each["deletionPolicy"] === "Retain");
  if (keeping) return passing(check, `class ${keeping.metadata.name}: what it took stays (Retain)`);
  const [other] = own;
  const hint = `Make a VolumeSnapshotClass with driver: ${driver} and deletionPolicy: Retain.`;
  return other
    ? warning(
      check,
      `backups would go with their spoke: class ${other.metadata.name} deletes, and none retains`,
      hint,
    )
    : warning(check, `backups are not possible: no snapshot class is for the driver ${driver}`, hint);
}

/** Checks the named snapshot class. Backups use only this class, even if other classes exist. */
function checkNamedClass(check: string, classes: readonly KubeObject[], name: string, driver: string): Finding {
  const named = classes.find(({ metadata }) => metadata.name === name);
  const hint = `Make it with driver: ${driver} and deletionPolicy: Retain, ${ELSEWHERE}.`;
  if (!named) return warning(check, `backups are not possible: there is no snapshot class ${name}`, hint);
  if (named["driver"] !== driver) {
    return warning(check, `backups are not possible: class ${name} is not for the driver ${driver}`, hint);
  }
  if (named["deletionPolicy"] !== "Retain") {
    return warning(check, `backups are not taken: class ${name} deletes, and they would go with their spoke`, hint);
  }
  return passing(check, `class ${name}: what it took stays (Retain)`);
}

export function checkIngressClass(
  classes: ReadResult<readonly KubeObject[]>,
  { ingressClass }: ClusterSettings,
): Finding {
  const check = "ingress";
  if (!("seen" in classes)) return unknownFinding(check, classes);
  const names = classes.seen.map(({ metadata }) => metadata.name);
  if (names.includes(ingressClass)) return passing(check, `class ${ingressClass}`);
  const there = names.length > 0 ? `, only ${listWords(names)}` : "";
  const hint = `Install an ingress controller of that class, ${ELSEWHERE}.`;
  return failing(check, `there is no ingress class ${ingressClass}${there}`, hint);
}

/**
 * Checks the certificate issuer. `issuer` is the ClusterIssuer of spokes; null without ACME_EMAIL, or if another
 * component terminates TLS.
 */
export function checkIssuer(
  issuers: ReadResult<readonly KubeObject[] | null>,
  { tls, issuer: own }: ClusterSettings,
  issuer: string | null,
): Finding {
  const check = "certificates";
  if (tls === "elsewhere") return passing(check, "TLS ends elsewhere, none are ordered");
  if (issuer === null) {
    return warning(
      check,
      "sites are plain HTTP: ACME_EMAIL is not set",
      "Set it, or tls: elsewhere in surroundings.yaml.",
    );
  }
  if (!("seen" in issuers)) return unknownFinding(check, issuers);
  if (issuers.seen === null) {
    return failing(
      check,
      `${own ? "an issuer is named" : "ACME_EMAIL is set"}, but the cluster does not know cert-manager's ClusterIssuer`,
      `Install cert-manager, or run without ${own ? `issuer ${ELSEWHERE}` : "ACME_EMAIL"}.`,
    );
  }
  const found = issuers.seen.find(({ metadata }) => metadata.name === issuer);
  if (!found && own) return failing(check, `there is no issuer ${own}`, `Make that ClusterIssuer, ${ELSEWHERE}.`);
  if (!found) return passing(check, `cert-manager is there; the issuer ${issuer} is made with the first hub`);
  const condition = conditionOf(found, "Ready");
  if (condition?.status === "True") return passing(check, `the issuer ${issuer} is ready`);
  const why = condition?.message || condition?.reason || "cert-manager has said nothing of it yet";
  return failing(check, `the issuer ${issuer} is not ready: ${why}`, `See kubectl describe clusterissuer ${issuer}.`);
}
