/**
 * Defines each kind's fields and types, and the lists that are merged item by item.
 *
 * Each line in a table defines a type, with fields as `field:type`. `s` is a string, `i` a number, `b` a boolean, `a`
 * any value, `{T}` a map of T and `[T]` a list of T. `Kind +=` adds the fields that all kinds have.
 */
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";
import { KUBERNETES_FIELDS } from "#lib/dev/simulator/admission/schema/kubernetes-fields.ts";

/** The kinds that CRDs define, such as those of cert-manager and the snapshot controller. */
const CUSTOM_FIELDS = `
VolumeSnapshot += spec:VolumeSnapshotSpec status:a
VolumeSnapshotSpec = source:VolumeSnapshotSource volumeSnapshotClassName:s
VolumeSnapshotSource = persistentVolumeClaimName:s volumeSnapshotContentName:s
VolumeSnapshotClass += driver:s deletionPolicy:s parameters:{s}
VolumeSnapshotContent += spec:VolumeSnapshotContentSpec status:a
VolumeSnapshotContentSpec = deletionPolicy:s driver:s source:a sourceVolumeMode:s volumeSnapshotClassName:s
    volumeSnapshotRef:a
Certificate += spec:CertificateSpec status:a
CertificateSpec = additionalOutputFormats:a commonName:s dnsNames:[s] duration:s emailAddresses:[s]
    encodeUsagesInRequest:b ipAddresses:[s] isCA:b issuerRef:IssuerReference keystores:a literalSubject:s
    nameConstraints:a otherNames:a privateKey:a renewBefore:s renewBeforePercentage:i revisionHistoryLimit:i
    secretName:s secretTemplate:a signatureAlgorithm:s subject:a uris:[s] usages:[s]
IssuerReference = group:s kind:s name:s
ClusterIssuer += spec:IssuerSpec status:a
Issuer += spec:IssuerSpec status:a
IssuerSpec = acme:a ca:a selfSigned:a vault:a venafi:a
ServiceMonitor += spec:ServiceMonitorSpec status:a
ServiceMonitorSpec = attachMetadata:a bodySizeLimit:s endpoints:[MonitorEndpoint] jobLabel:s labelLimit:i
    namespaceSelector:a podTargetLabels:[s] sampleLimit:i selector:LabelSelector targetLabels:[s]
    targetLimit:i
MonitorEndpoint = authorization:a basicAuth:a bearerTokenSecret:a enableHttp2:b filterRunning:b followRedirects:b
    honorLabels:b honorTimestamps:b interval:s metricRelabelings:a oauth2:a params:a path:s port:s relabelings:a scheme:s
    scrapeTimeout:s targetPort:a tlsConfig:a
PrometheusRule += spec:PrometheusRuleSpec status:a
PrometheusRuleSpec = groups:[RuleGroup]
RuleGroup = interval:s labels:{s} limit:i name:s partial_response_strategy:s query_offset:s rules:[AlertRule]
AlertRule = alert:s annotations:{s} expr:a for:s keep_firing_for:s labels:{s} record:s
`;

/** How server-side apply merges a field: as a list keyed by these fields, as a set (`*`), or as a whole (`!`). */
const MERGING = `
ObjectMeta finalizers:* ownerReferences:uid
ServiceAccount secrets:name
ServiceSpec ports:port,protocol selector:!
PodSpec containers:name ephemeralContainers:name hostAliases:ip imagePullSecrets:name initContainers:name nodeSelector:!
PodSpec resourceClaims:name schedulingGates:name topologySpreadConstraints:topologyKey,whenUnsatisfiable volumes:name
Container env:name ports:containerPort,protocol volumeDevices:devicePath volumeMounts:mountPath
ValidatingAdmissionPolicySpec matchConditions:name
ValidatingAdmissionPolicyBindingSpec validationActions:*
PrometheusRuleSpec groups:name
`;
/** Types of which a single manager owns the complete value. */
const ATOMIC_TYPES = new Set(
  ("ConfigMapKeySelector LabelSelector LocalObjectReference ObjectFieldSelector ResourceFieldSelector " +
    "SecretKeySelector TypedLocalObjectReference").split(" "),
);
/** Quantities and maps of quantities. The Kubernetes client declares them as strings and maps of strings. */
const QUANTITIES = new Set("MetricTarget.averageValue MetricTarget.value HPAScalingRules.tolerance".split(" "));
const QUANTITY_MAPS = new Set(
  "default defaultRequest hard limits max maxLimitRequestRatio min overhead requests".split(" "),
);

export type FieldType =
  | { readonly form: "text" | "number" | "boolean" | "any" | "quantity" }
  | { readonly form: "map"; readonly of: FieldType; readonly atomic: boolean }
  | { readonly form: "list"; readonly of: FieldType; readonly keys: readonly string[]; readonly set: boolean }
  | {
    readonly form: "struct";
    readonly name: string;
    readonly fields: Map<string, FieldType>;
    readonly atomic: boolean;
  };

export type FieldSchema = ReturnType<typeof loadFieldSchema>;

const ANY: FieldType = { form: "any" }, TEXT: FieldType = { form: "text" };

export function loadFieldSchema() {
  const lines = (KUBERNETES_FIELDS + CUSTOM_FIELDS).trim().replace(/\n\s+/g, " ").split("\n").filter((line) =>
    line !== ""
  );
  const texts = new Map(lines.map((line): [string, string] => {
    const [name = "", sign = "", ...fields] = line.split(" ");
    const head = sign === "+=" ? ["apiVersion:s", "kind:s", "metadata:ObjectMeta"] : [];
    return [name, [...head, ...fields].join(" ")];
  }));
  const merging = new Map(
    MERGING.trim().split("\n").map((line) => line.split(" ")).flatMap(([type, ...fields]) =>
      fields.map((field) => `${type}.${field}`.split(":") as [string, string])
    ),
  );
  const types = new Map<string, FieldType>();
  const struct = (name: string): FieldType => {
    const allowed = types.get(name);
    if (allowed) return allowed;
    const fields = new Map<string, FieldType>();
    const type: FieldType = { form: "struct", name, fields, atomic: ATOMIC_TYPES.has(name) };
    types.set(name, type); // stored before the fields are read, because types can be recursive
    for (const text of (texts.get(name) ?? "").split(" ").filter((each) => each !== "")) {
      const [field = "", of = ""] = text.split(":");
      const isMap = of === "{s}" && QUANTITY_MAPS.has(field), path = `${name}.${field}`;
      const type = parseType(isMap ? "{quantity}" : QUANTITIES.has(path) ? "quantity" : of, struct);
      fields.set(field, setMerging(type, merging.get(path)));
    }
    return type;
  };
  const common: [string, FieldType][] = [["apiVersion", TEXT], ["kind", TEXT], ["metadata", struct("ObjectMeta")]];
  const other: FieldType = { form: "struct", name: "", fields: new Map([...common, ["*", ANY]]), atomic: false };
  return {
    /** Returns the type of a kind's objects. A kind that the schema does not list accepts any field. */
    of: (kind: string): FieldType => texts.has(kind) ? struct(kind) : other,
  };
}

const BASIC_TYPES: Readonly<Record<string, FieldType>> = {
  s: TEXT,
  i: { form: "number" },
  b: { form: "boolean" },
  a: ANY,
  quantity: { form: "quantity" },
};

function parseType(text: string, struct: (name: string) => FieldType): FieldType {
  const inner = (): FieldType => parseType(text.slice(1, -1), struct);
  if (text.startsWith("{")) return { form: "map", of: inner(), atomic: false };
  if (text.startsWith("[")) return { form: "list", of: inner(), keys: [], set: false };
  return BASIC_TYPES[text] ?? struct(text);
}

function setMerging(type: FieldType, how: string | undefined): FieldType {
  if (how === undefined) return type;
  if (type.form === "list") return { ...type, keys: how === "*" ? [] : how.split(","), set: how === "*" };
  return "atomic" in type ? { ...type, atomic: true } : type;
}

export interface SchemaViolation {
  /** The path to the invalid field, for example `.spec.template`, `.spec.ports[0]` or `.spec.containers[name="m"]`. */
  readonly path: string;
  /** The expected type; undefined if the schema does not contain the field. */
  readonly expected: string | undefined;
  readonly value: Json;
}

/** Returns the key that identifies a list item in a path: the item's values for `keys` or, without keys, its index. */
function formatItemKey(item: Json, i: number, keys: readonly string[]): string {
  if (keys.length === 0 || !isRecord(item)) return String(i);
  return keys.map((key) => `${key}=${JSON.stringify(item[key] ?? null)}`).join(",");
}

/** Returns the value without nulls and unknown fields, together with all violations of the schema. */
export function pruneToSchema(
  value: Json,
  type: FieldType,
  items: "placed" | "keyed" = "placed",
): { value: Json; misfits: SchemaViolation[] } {
  const misfits: SchemaViolation[] = [];
  return { value: visit(value, type, ""), misfits };

  function visit(value: Json, type: FieldType, path: string): Json {
    const wrong = (expected: string) => void misfits.push({ path, expected, value });
    if (type.form === "any") return value;
    if (type.form === "text") return typeof value === "string" ? value : wrong("string");
    if (type.form === "number") return typeof value === "number" ? value : wrong("numeric (int or float)");
    if (type.form === "boolean") return typeof value === "boolean" ? value : wrong("boolean");
    if (type.form === "quantity") {
      return typeof value === "string" ? value : typeof value === "number" ? String(value) : wrong("string");
    }
    if (type.form === "list") {
      if (!Array.isArray(value)) return wrong("list");
      return value.map((item, i) =>
        visit(item, type.of, `${path}[${formatItemKey(item, i, items === "keyed" ? type.keys : [])}]`)
      );
    }
    if ((type.form !== "map" && type.form !== "struct") || !isRecord(value)) return wrong("map");
    const result: Record<string, Json> = {};
    for (const [name, inner] of Object.entries(value)) {
      const of = type.form === "map" ? type.of : type.fields.get(name) ?? type.fields.get("*");
      if (!of) misfits.push({ path: `${path}.${name}`, expected: undefined, value: inner });
      else if (inner !== null) result[name] = visit(inner, of, `${path}.${name}`);
    }
    return result;
  }
}
