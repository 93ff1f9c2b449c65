/** Tests the checks of classes and issuers. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterSettings } from "#lib/moodle/sizes.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Finding } from "#lib/doctor/finding.ts";
import {
  checkIngressClass,
  checkIssuer,
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
const UNSEEN = { error: "no answer within 10 s" };

const object = (name: string, more: object = {}, annotations: Record<string, string> = {}, born = ""): KubeObject => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name, annotations, creationTimestamp: born },
  ...more,
});
const DISK = { provisioner: "disk.example", allowVolumeExpansion: true, volumeBindingMode: "WaitForFirstConsumer" };
const standard = object("standard", DISK, DEFAULT);
const short = ({ level, message: told }: Finding) => `${level}: ${told}`;

const storage = suite("judgeStorage");

const STORAGE: [what: string, classes: KubeObject[], named: string | undefined, findings: string[]][] = [
  ["one default is right", [standard], undefined, [
    "ok: class standard (default): volumes can be expanded; binds when a pod is scheduled",
  ]],
  [
    "the older annotation counts as well",
    [
      object("old", DISK, { "storageclass.beta.kubernetes.io/is-default-class": "true" }),
    ],
    undefined,
    ["ok: class old (default): volumes can be expanded; binds when a pod is scheduled"],
  ],
  [
    "an annotation that says no is none",
    [
      object("slow", DISK, { "storageclass.kubernetes.io/is-default-class": "false" }),
    ],
    undefined,
    ["failing: no default storage class exists (found: slow)"],
  ],
  ["no class at all fails", [], undefined, ["failing: no default storage class exists"]],
  [
    "of two defaults the newest is taken, and it is told",
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
    "disks that cannot grow are a warning",
    [
      object("fixed", { provisioner: "disk.example", volumeBindingMode: "Immediate" }, DEFAULT),
    ],
    undefined,
    ["warning: class fixed (default): volumes cannot be expanded; binds immediately"],
  ],
  [
    "a named class needs no default, and two do not matter",
    [
      object("fast", DISK),
      object("a", DISK, DEFAULT),
      object("b", DISK, DEFAULT),
    ],
    "fast",
    ["ok: class fast: volumes can be expanded; binds when a pod is scheduled"],
  ],
  ["a named class that is not there fails, whatever is the default", [standard], "fast", [
    "failing: storage class fast does not exist",
  ]],
];
for (const [what, seen, storageClass, findings] of STORAGE) {
  storage(`${what}.`, () => {
    const around = { ...AROUND, ...(storageClass === undefined ? {} : { storageClass }) };
    assert.equal(checkStorageClasses({ value: seen }, around).map(short), findings);
  });
}

storage("what was not seen is not called good.", () => {
  assert.equal(checkStorageClasses(UNSEEN, AROUND).map(short), [
    "warning: could not be checked: no answer within 10 s",
  ]);
});

const snapshots = suite("judgeSnapshots");

const of = (name: string, driver: string, deletionPolicy: string) => object(name, { driver, deletionPolicy });
const SNAPSHOTS: [what: string, classes: KubeObject[] | null, finding: string][] = [
  ["a class of the disks' driver that retains is right", [
    of("drop", "disk.example", "Delete"),
    of("keep", "disk.example", "Retain"),
  ], "ok: class keep retains snapshots"],
  ["one that deletes is a warning", [
    of("drop", "disk.example", "Delete"),
  ], "warning: backups would be deleted with their spoke: class drop does not retain snapshots"],
  ["one that retains, but for another driver, does not count", [
    of("keep", "other.example", "Retain"),
  ], "warning: backups are not possible: no snapshot class uses the driver disk.example"],
  ["no class is a warning", [], "warning: backups are not possible: no snapshot class uses the driver disk.example"],
  [
    "a cluster without the kind is a warning",
    null,
    "warning: backups are not possible: the cluster does not support VolumeSnapshots",
  ],
];
for (const [what, seen, finding] of SNAPSHOTS) {
  snapshots(`${what}.`, () => {
    assert.is(short(checkSnapshotClasses({ value: [standard] }, { value: seen }, AROUND)), finding);
  });
}

snapshots("the driver is that of the named class.", () => {
  const classes = { value: [standard, object("fast", { ...DISK, provisioner: "fast.example" })] };
  const seen = [of("keep", "disk.example", "Retain"), of("fast", "fast.example", "Delete")];
  const { level, message: told } = checkSnapshotClasses(classes, { value: seen }, { ...AROUND, storageClass: "fast" });
  assert.equal([level, told.includes("class fast does not retain")], ["warning", true]);
});

snapshots("without knowing the disks' driver nothing is called good.", () => {
  const seen = [of("keep", "disk.example", "Retain")];
  assert.is(checkSnapshotClasses(UNSEEN, { value: seen }, AROUND).level, "warning");
  assert.is(checkSnapshotClasses({ value: [] }, { value: seen }, AROUND).level, "warning");
  assert.is(checkSnapshotClasses({ value: [standard] }, UNSEEN, AROUND).level, "warning");
});

snapshots("the class that is named is the only one that counts.", () => {
  const seen = [
    of("keep", "disk.example", "Retain"),
    of("drop", "disk.example", "Delete"),
    of("far", "other.example", "Retain"),
  ];
  const told = (snapshotClass: string) =>
    short(checkSnapshotClasses({ value: [standard] }, { value: seen }, { ...AROUND, snapshotClass }));
  assert.is(told("keep"), "ok: class keep retains snapshots");
  assert.is(told("gone"), "warning: backups are not possible: snapshot class gone does not exist");
  assert.is(told("far"), "warning: backups are not possible: class far does not use the driver disk.example");
  assert.is(told("drop"), "warning: backups are off: class drop would delete them with their spoke");
});

const ingress = suite("judgeIngress");

ingress("the class that the surroundings name has to be there.", () => {
  const seen = [object("traefik"), object("nginx")];
  assert.is(short(checkIngressClass({ value: seen }, AROUND)), "ok: class nginx");
  assert.is(
    short(checkIngressClass({ value: seen }, { ...AROUND, ingressClass: "haproxy" })),
    "failing: ingress class haproxy does not exist (found: traefik and nginx)",
  );
  assert.is(short(checkIngressClass({ value: [] }, AROUND)), "failing: ingress class nginx does not exist");
  assert.is(checkIngressClass(UNSEEN, AROUND).level, "warning");
});

const certificates = suite("judgeCertificates");

const issuer = (status: object) => object("wheelwright-nginx", { status });
const ready = (status: string, message = "") => issuer({ conditions: [{ type: "Ready", status, message }] });
const CERTIFICATES: [what: string, seen: KubeObject[] | null, finding: string][] = [
  [
    "cert-manager that is not there fails",
    null,
    "failing: ACME_EMAIL is set, but cert-manager is not installed",
  ],
  [
    "an issuer that is yet to be made is right",
    [],
    "ok: cert-manager is installed; ClusterIssuer wheelwright-nginx is created with the first hub",
  ],
  ["an issuer that is ready is right", [ready("True")], "ok: ClusterIssuer wheelwright-nginx is ready"],
  [
    "one that is not fails with its own words",
    [ready("False", "no such account")],
    "failing: ClusterIssuer wheelwright-nginx is not ready: no such account",
  ],
  [
    "one that says nothing fails",
    [issuer({})],
    "failing: ClusterIssuer wheelwright-nginx is not ready: cert-manager has not reported its status yet",
  ],
];
for (const [what, seen, finding] of CERTIFICATES) {
  certificates(`${what}.`, () => {
    assert.is(short(checkIssuer({ value: seen }, AROUND, "wheelwright-nginx")), finding);
  });
}

certificates("an issuer of one's own is asked for by its name, and nobody makes it.", () => {
  const own = { ...AROUND, issuer: "letsencrypt" };
  const about = (seen: KubeObject[] | null) => short(checkIssuer({ value: seen }, own, "letsencrypt"));
  const there = { status: { conditions: [{ type: "Ready", status: "True" }] } };
  assert.is(about([object("letsencrypt", there)]), "ok: ClusterIssuer letsencrypt is ready");
  assert.is(about([]), "failing: ClusterIssuer letsencrypt does not exist");
  assert.match(about(null), "failing: an issuer is configured, but cert-manager is not installed");
});

certificates("without ACME_EMAIL sites are plain HTTP, unless TLS ends elsewhere.", () => {
  assert.is(checkIssuer({ value: null }, AROUND, null).level, "warning");
  assert.is(checkIssuer({ value: null }, { ...AROUND, tls: "elsewhere" }, null).level, "ok");
  assert.is(checkIssuer(UNSEEN, AROUND, "wheelwright-nginx").level, "warning");
});

storage.run();
snapshots.run();
ingress.run();
certificates.run();
