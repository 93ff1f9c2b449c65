/** Tests the checks of classes and issuers. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterSettings } from "#lib/moodle/sizes.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Finding } from "#lib/doctor/finding.ts";
import {
  checkCertificateIssuer,
  checkIngressClass,
  checkSnapshotClasses,
  checkStorageClasses,
} from "#lib/doctor/check-classes.ts";

const DEFAULT = { "storageclass.kubernetes.io/is-default-class": "true" };
const AROUND: ClusterSettings = {
  ingressClass: "nginx",
  ingressNamespace: "ingress-nginx",
  dnsNamespace: "kube-system",
  tls: "acme",
  acmeServer: "https://acme.example.org/directory",
};
const UNREADABLE = { error: "no answer within 10 s" };

const object = (name: string, more: object = {}, annotations: Record<string, string> = {}, born = ""): KubeObject => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name, annotations, creationTimestamp: born },
  ...more,
});
const DISK = { provisioner: "disk.example", allowVolumeExpansion: true, volumeBindingMode: "WaitForFirstConsumer" };
const standard = object("standard", DISK, DEFAULT);
const short = ({ level, message }: Finding) => `${level}: ${message}`;

const storage = suite("checkStorageClasses");

const STORAGE: [what: string, classes: KubeObject[], named: string | undefined, findings: string[]][] = [
  ["accepts one default class", [standard], undefined, [
    "ok: class standard (default): volumes can be expanded; binds when a pod is scheduled",
  ]],
  [
    "accepts the beta annotation",
    [
      object("old", DISK, { "storageclass.beta.kubernetes.io/is-default-class": "true" }),
    ],
    undefined,
    ["ok: class old (default): volumes can be expanded; binds when a pod is scheduled"],
  ],
  [
    "ignores an annotation with the value false",
    [
      object("slow", DISK, { "storageclass.kubernetes.io/is-default-class": "false" }),
    ],
    undefined,
    ["failing: no default storage class exists (found: slow)"],
  ],
  ["fails without a class", [], undefined, ["failing: no default storage class exists"]],
  [
    "uses the newest of two default classes, with a warning",
    [
      object("a", DISK, DEFAULT, "2026-01-01T00:00:00Z"),
      object("b", DISK, DEFAULT, "2026-02-01T00:00:00Z"),
    ],
    undefined,
    [
      "ok: class b (default): volumes can be expanded; binds when a pod is scheduled",
      "warning: 2 default storage classes exist (a and b); the cluster uses the newest, b",
    ],
  ],
  [
    "warns if volumes cannot be expanded",
    [
      object("fixed", { provisioner: "disk.example", volumeBindingMode: "Immediate" }, DEFAULT),
    ],
    undefined,
    ["warning: class fixed (default): volumes cannot be expanded; binds immediately"],
  ],
  [
    "accepts the configured class without a default class",
    [
      object("fast", DISK),
      object("a", DISK, DEFAULT),
      object("b", DISK, DEFAULT),
    ],
    "fast",
    ["ok: class fast: volumes can be expanded; binds when a pod is scheduled"],
  ],
  ["fails if the configured class does not exist", [standard], "fast", [
    "failing: storage class fast does not exist",
  ]],
];
for (const [title, objects, storageClass, findings] of STORAGE) {
  storage(title, () => {
    const around = { ...AROUND, ...(storageClass === undefined ? {} : { storageClass }) };
    assert.equal(checkStorageClasses({ value: objects }, around).map(short), findings);
  });
}

storage("warns if the classes could not be read", () => {
  assert.equal(checkStorageClasses(UNREADABLE, AROUND).map(short), [
    "warning: could not be checked: no answer within 10 s",
  ]);
});

const snapshots = suite("checkSnapshotClasses");

const of = (name: string, driver: string, deletionPolicy: string) => object(name, { driver, deletionPolicy });
const SNAPSHOTS: [what: string, classes: KubeObject[] | null, finding: string][] = [
  ["accepts a class with the driver and the policy Retain", [
    of("drop", "disk.example", "Delete"),
    of("keep", "disk.example", "Retain"),
  ], "ok: class keep retains snapshots"],
  ["warns about the policy Delete", [
    of("drop", "disk.example", "Delete"),
  ], "warning: backups would be deleted with their spoke: class drop does not retain snapshots"],
  ["ignores classes of other drivers", [
    of("keep", "other.example", "Retain"),
  ], "warning: backups are not possible: no snapshot class uses the driver disk.example"],
  ["warns without a class", [], "warning: backups are not possible: no snapshot class uses the driver disk.example"],
  [
    "warns if the cluster does not support snapshots",
    null,
    "warning: backups are not possible: the cluster does not support VolumeSnapshots",
  ],
];
for (const [title, objects, finding] of SNAPSHOTS) {
  snapshots(title, () => {
    assert.is(short(checkSnapshotClasses({ value: [standard] }, { value: objects }, AROUND)), finding);
  });
}

snapshots("uses the driver of the configured storage class", () => {
  const classes = { value: [standard, object("fast", { ...DISK, provisioner: "fast.example" })] };
  const objects = [of("keep", "disk.example", "Retain"), of("fast", "fast.example", "Delete")];
  const { level, message: summary } = checkSnapshotClasses(classes, { value: objects }, {
    ...AROUND,
    storageClass: "fast",
  });
  assert.equal([level, summary.includes("class fast does not retain")], ["warning", true]);
});

snapshots("warns if the storage driver is unknown", () => {
  const objects = [of("keep", "disk.example", "Retain")];
  assert.is(checkSnapshotClasses(UNREADABLE, { value: objects }, AROUND).level, "warning");
  assert.is(checkSnapshotClasses({ value: [] }, { value: objects }, AROUND).level, "warning");
  assert.is(checkSnapshotClasses({ value: [standard] }, UNREADABLE, AROUND).level, "warning");
});

snapshots("checks only the configured snapshot class", () => {
  const objects = [
    of("keep", "disk.example", "Retain"),
    of("drop", "disk.example", "Delete"),
    of("far", "other.example", "Retain"),
  ];
  const summary = (snapshotClass: string) =>
    short(checkSnapshotClasses({ value: [standard] }, { value: objects }, { ...AROUND, snapshotClass }));
  assert.is(summary("keep"), "ok: class keep retains snapshots");
  assert.is(summary("gone"), "warning: backups are not possible: snapshot class gone does not exist");
  assert.is(summary("far"), "warning: backups are not possible: class far does not use the driver disk.example");
  assert.is(summary("drop"), "warning: backups are off: class drop would delete each backup with its spoke");
});

const ingress = suite("checkIngressClass");

ingress("fails if the configured ingress class does not exist", () => {
  const objects = [object("traefik"), object("nginx")];
  assert.is(short(checkIngressClass({ value: objects }, AROUND)), "ok: class nginx");
  assert.is(
    short(checkIngressClass({ value: objects }, { ...AROUND, ingressClass: "haproxy" })),
    "failing: ingress class haproxy does not exist (found: traefik and nginx)",
  );
  assert.is(short(checkIngressClass({ value: [] }, AROUND)), "failing: ingress class nginx does not exist");
  assert.is(checkIngressClass(UNREADABLE, AROUND).level, "warning");
});

const certificates = suite("checkCertificateIssuer");

const issuer = (status: object) => object("wheelwright-nginx", { status });
const ready = (status: string, message = "") => issuer({ conditions: [{ type: "Ready", status, message }] });
const CERTIFICATES: [what: string, seen: KubeObject[] | null, finding: string][] = [
  [
    "fails without cert-manager",
    null,
    "failing: ACME_EMAIL is set, but cert-manager is not installed",
  ],
  [
    "accepts an issuer that does not exist yet",
    [],
    "ok: cert-manager is installed; ClusterIssuer wheelwright-nginx is created with the first hub",
  ],
  ["accepts an issuer that is ready", [ready("True")], "ok: ClusterIssuer wheelwright-nginx is ready"],
  [
    "fails with the message of an issuer that is not ready",
    [ready("False", "no such account")],
    "failing: ClusterIssuer wheelwright-nginx is not ready: no such account",
  ],
  [
    "fails if the issuer has no status",
    [issuer({})],
    "failing: ClusterIssuer wheelwright-nginx is not ready: cert-manager has not reported its status yet",
  ],
];
for (const [title, objects, finding] of CERTIFICATES) {
  certificates(title, () => {
    assert.is(short(checkCertificateIssuer({ value: objects }, AROUND, "wheelwright-nginx")), finding);
  });
}

certificates("checks the configured issuer", () => {
  const own = { ...AROUND, issuer: "letsencrypt" };
  const about = (objects: KubeObject[] | null) => short(checkCertificateIssuer({ value: objects }, own, "letsencrypt"));
  const there = { status: { conditions: [{ type: "Ready", status: "True" }] } };
  assert.is(about([object("letsencrypt", there)]), "ok: ClusterIssuer letsencrypt is ready");
  assert.is(about([]), "failing: ClusterIssuer letsencrypt does not exist");
  assert.match(about(null), "failing: an issuer is configured, but cert-manager is not installed");
});

certificates("warns without ACME_EMAIL, unless TLS is terminated elsewhere", () => {
  assert.is(checkCertificateIssuer({ value: null }, AROUND, null).level, "warning");
  assert.is(checkCertificateIssuer({ value: null }, { ...AROUND, tls: "elsewhere" }, null).level, "ok");
  assert.is(checkCertificateIssuer(UNREADABLE, AROUND, "wheelwright-nginx").level, "warning");
});

storage.run();
snapshots.run();
ingress.run();
certificates.run();
