/** Manual changes to each kind of object, and the drift that the sweep reports. */
export const CORE = "/api/v1", APPS = "/apis/apps/v1", BATCH = "/apis/batch/v1", NET = "/apis/networking.k8s.io/v1";

const container = (name: string, change: object) => ({
  spec: { template: { spec: { containers: [{ name, ...change }] } } },
});

/** In the order of their titles. A merge patch replaces a list whole, so a container is left with what is given here. */
export const DAMAGE: readonly (readonly [api: string, what: string, patch: object, told: RegExp])[] = [
  [
    CORE,
    "configmaps/fpm-size",
    { data: { "zz-size.conf": "[www]\npm.max_children = 99\n" } },
    /^ConfigMap\/fpm-size changed data\[zz-size.conf\]$/,
  ],
  [
    CORE,
    "configmaps/moodle-env",
    { data: { DB_HOST: "elsewhere", AUTO_UPDATE_MOODLE: null } },
    /^ConfigMap\/moodle-env changed data.AUTO_UPDATE_MOODLE data.DB_HOST$/,
  ],
  [
    BATCH,
    "cronjobs/moodle-cron",
    { spec: { suspend: true, schedule: "0 0 * * *" } },
    /^CronJob\/moodle-cron changed spec.schedule spec.suspend$/,
  ],
  [
    APPS,
    "deployments/moodle",
    {
      spec: { replicas: 0, progressDeadlineSeconds: 601 },
      metadata: { labels: { "wheelwright.dev/federation": "x" } },
    },
    /^Deployment\/moodle changed metadata.labels\[wheelwright.dev\/federation\] spec.progressDeadlineSeconds spec.replicas$/,
  ],
  [NET, "ingresses/moodle", { spec: { ingressClassName: "other" } }, /^Ingress\/moodle changed spec.ingressClassName$/],
  [CORE, "limitranges/spoke", { spec: { limits: [] } }, /^LimitRange\/spoke changed spec.limits/],
  [
    CORE,
    "",
    { metadata: { labels: { "pod-security.kubernetes.io/enforce": "privileged" } } },
    /^Namespace\/.* changed metadata.labels\[pod-security.kubernetes.io\/enforce\]$/,
  ],
  ...[
    "allow-app-to-db",
    "allow-dns",
    "app-internet-egress",
    "challenge-from-ingress",
    "db-from-app",
    "default-deny",
    "probe-egress",
    "web-from-ingress",
    "web-from-probe",
  ]
    .map((name) =>
      [
        NET,
        `networkpolicies/${name}`,
        { spec: { podSelector: { matchLabels: { role: "nobody" } } } },
        new RegExp(`^NetworkPolicy/${name} changed spec.podSelector`),
      ] as const
    ),
  [
    CORE,
    "persistentvolumeclaims/files",
    { metadata: { labels: { "backup-group": "none" } } },
    /^PersistentVolumeClaim\/files changed metadata.labels.backup-group$/,
  ],
  [
    CORE,
    "resourcequotas/spoke",
    { spec: { hard: { pods: "50", "limits.cpu": null } } },
    /^ResourceQuota\/spoke changed spec.hard.pods spec.hard\[limits.cpu\]$/,
  ],
  [CORE, "services/db", { spec: { selector: { role: "other" } } }, /^Service\/db changed spec.selector.role$/],
  [
    CORE,
    "services/moodle",
    { spec: { ports: [{ name: "http", port: 81, targetPort: 8080 }] } },
    /^Service\/moodle changed spec.ports/,
  ],
  [
    APPS,
    "statefulsets/db",
    container("postgres", { image: "postgres:16-alpine" }),
    /^StatefulSet\/db changed .*spec.template.spec.containers\[postgres\].image /,
  ],
];
