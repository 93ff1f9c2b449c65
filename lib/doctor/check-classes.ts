/** Checks a cluster's storage class, snapshot class, ingress class and certificate issuer. Only pure functions. */
import type { ClusterSettings } from "#lib/moodle/sizes.ts";
import { findStatusCondition } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { formatList } from "#lib/base/text.ts";
import {
  createFailure,
  createPass,
  createUncheckedFinding,
  createWarning,
  type Finding,
  type ReadResult,
} from "#lib/doctor/finding.ts";

const DEFAULT_CLASS_ANNOTATIONS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
const NAME_ANOTHER = "or configure another one in surroundings.yaml or for the region in the catalog";

export function checkStorageClasses(
  classes: ReadResult<readonly KubeObject[]>,
  { storageClass }: ClusterSettings,
): Finding[] {
  const check = "storage";
  if (!("value" in classes)) return [createUncheckedFinding(check, classes)];
  const defaults = classes.value.filter(isDefaultClass);
  const chosen = findStorageClass(classes.value, storageClass);
  if (storageClass !== undefined && !chosen) {
    return [
      createFailure(check, `storage class ${storageClass} does not exist`, `Create the class, ${NAME_ANOTHER}.`),
    ];
  }
  if (!chosen) {
    const names = classes.value.map(({ metadata }) => metadata.name);
    const others = names.length > 0 ? ` (found: ${formatList(names)})` : "";
    return [createFailure(
      check,
      `no default storage class exists${others}`,
      names.length > 0
        ? `Annotate a class with ${DEFAULT_CLASS_ANNOTATIONS[0]}=true, or set storageClass in surroundings.yaml.`
        : "Install a CSI driver and create a storage class.",
    )];
  }
  const name = chosen.metadata.name;
  const canExpand = chosen["allowVolumeExpansion"] === true;
  const binding = chosen["volumeBindingMode"] === "WaitForFirstConsumer"
    ? "binds when a pod is scheduled"
    : "binds immediately";
  const label = storageClass === undefined ? `${name} (default)` : name;
  const findings = [
    canExpand ? createPass(check, `class ${label}: volumes can be expanded; ${binding}`) : createWarning(
      check,
      `class ${label}: volumes cannot be expanded; ${binding}`,
      "Set allowVolumeExpansion: true if the driver supports it. Until then, spokes cannot get more storage.",
    ),
  ];
  if (storageClass === undefined && defaults.length > 1) {
    const names = formatList(defaults.map(({ metadata }) => metadata.name));
    findings.push(createWarning(
      check,
      `${defaults.length} default storage classes exist (${names}); the cluster uses the newest, ${name}`,
      `Remove the annotation ${DEFAULT_CLASS_ANNOTATIONS[0]} from all but one class.`,
    ));
  }
  return findings;
}

/**
 * Returns the named storage class, or the default class if `name` is undefined. If several classes are marked as
 * default, returns the newest, as Kubernetes 1.26 and later do.
 */
function findStorageClass(classes: readonly KubeObject[], name: string | undefined): KubeObject | undefined {
  if (name !== undefined) return classes.find(({ metadata }) => metadata.name === name);
  const createdAt = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? "";
  return classes.filter(isDefaultClass).toSorted((a, b) =>
    createdAt(b).localeCompare(createdAt(a)) || a.metadata.name.localeCompare(b.metadata.name)
  )[0];
}

function isDefaultClass({ metadata }: KubeObject): boolean {
  return DEFAULT_CLASS_ANNOTATIONS.some((name) => metadata.annotations?.[name] === "true");
}

/** Checks the snapshot classes. `snapshots` is null if the cluster does not support VolumeSnapshots. */
export function checkSnapshotClasses(
  classes: ReadResult<readonly KubeObject[]>,
  snapshots: ReadResult<readonly KubeObject[] | null>,
  { storageClass, snapshotClass }: ClusterSettings,
): Finding {
  const check = "snapshots";
  if (!("value" in snapshots)) return createUncheckedFinding(check, snapshots);
  if (snapshots.value === null) {
    return createWarning(
      check,
      "backups are not possible: the cluster does not support VolumeSnapshots",
      "Install the snapshot controller, its CRDs and a storage driver that supports snapshots.",
    );
  }
  const driver = "value" in classes ? findStorageClass(classes.value, storageClass)?.["provisioner"] : undefined;
  if (driver === undefined) {
    return createWarning(check, "could not be checked: the storage driver is unknown");
  }
  if (snapshotClass !== undefined) return checkNamedClass(check, snapshots.value, snapshotClass, driver);
  const customIssuer = snapshots.value.filter((each) => each["driver"] === driver);
  const retaining = customIssuer.find((each) => each["deletionPolicy"] === "Retain");
  if (retaining) return createPass(check, `class ${retaining.metadata.name} retains snapshots`);
  const [other] = customIssuer;
  const hint = `Create a VolumeSnapshotClass with driver: ${driver} and deletionPolicy: Retain.`;
  return other
    ? createWarning(
      check,
      `backups would be deleted with their spoke: class ${other.metadata.name} does not retain snapshots`,
      hint,
    )
    : createWarning(check, `backups are not possible: no snapshot class uses the driver ${driver}`, hint);
}

/** Checks the VolumeSnapshotClass that the settings name. Backups use only this class, even if others exist. */
function checkNamedClass(check: string, classes: readonly KubeObject[], name: string, driver: string): Finding {
  const namedClass = classes.find(({ metadata }) => metadata.name === name);
  const hint = `Create the class with driver: ${driver} and deletionPolicy: Retain, ${NAME_ANOTHER}.`;
  if (!namedClass) {
    return createWarning(check, `backups are not possible: snapshot class ${name} does not exist`, hint);
  }
  if (namedClass["driver"] !== driver) {
    return createWarning(
      check,
      `backups are not possible: class ${name} does not use the driver ${driver}`,
      hint,
    );
  }
  if (namedClass["deletionPolicy"] !== "Retain") {
    return createWarning(check, `backups are off: class ${name} would delete each backup with its spoke`, hint);
  }
  return createPass(check, `class ${name} retains snapshots`);
}

export function checkIngressClass(
  classes: ReadResult<readonly KubeObject[]>,
  { ingressClass }: ClusterSettings,
): Finding {
  const check = "ingress";
  if (!("value" in classes)) return createUncheckedFinding(check, classes);
  const names = classes.value.map(({ metadata }) => metadata.name);
  if (names.includes(ingressClass)) return createPass(check, `class ${ingressClass}`);
  const others = names.length > 0 ? ` (found: ${formatList(names)})` : "";
  const hint = `Install an ingress controller for the class, ${NAME_ANOTHER}.`;
  return createFailure(check, `ingress class ${ingressClass} does not exist${others}`, hint);
}

/**
 * Checks the ClusterIssuer for site certificates. `issuer` is null if ACME_EMAIL is unset or a proxy terminates TLS.
 */
export function checkCertificateIssuer(
  issuers: ReadResult<readonly KubeObject[] | null>,
  { tls, issuer: customIssuer }: ClusterSettings,
  issuer: string | null,
): Finding {
  const check = "certificates";
  if (tls === "elsewhere") {
    return createPass(check, "TLS is terminated elsewhere; no certificates are requested");
  }
  if (issuer === null) {
    return createWarning(
      check,
      "sites use plain HTTP: ACME_EMAIL is not set",
      "Set ACME_EMAIL, or write 'tls: elsewhere' into surroundings.yaml.",
    );
  }
  if (!("value" in issuers)) return createUncheckedFinding(check, issuers);
  if (issuers.value === null) {
    return createFailure(
      check,
      `${customIssuer ? "an issuer is configured" : "ACME_EMAIL is set"}, but cert-manager is not installed`,
      `Install cert-manager, or remove ${customIssuer ? "the issuer from the configuration" : "ACME_EMAIL"}.`,
    );
  }
  const clusterIssuer = issuers.value.find(({ metadata }) => metadata.name === issuer);
  if (!clusterIssuer && customIssuer) {
    return createFailure(
      check,
      `ClusterIssuer ${customIssuer} does not exist`,
      `Create the issuer, ${NAME_ANOTHER}.`,
    );
  }
  if (!clusterIssuer) {
    return createPass(check, `cert-manager is installed; ClusterIssuer ${issuer} is created with the first hub`);
  }
  const condition = findStatusCondition(clusterIssuer, "Ready");
  if (condition?.status === "True") return createPass(check, `ClusterIssuer ${issuer} is ready`);
  const reason = condition?.message || condition?.reason || "cert-manager has not reported its status yet";
  return createFailure(
    check,
    `ClusterIssuer ${issuer} is not ready: ${reason}`,
    `For details, run: kubectl describe clusterissuer ${issuer}`,
  );
}
