/** Generates the fields of Kubernetes' own kinds, with which the simulated cluster checks objects. */

/** The kinds whose fields are checked, each as the name of its model in the Kubernetes client. */
const KINDS = ("ConfigMap Namespace Secret ServiceAccount Service ResourceQuota LimitRange PersistentVolumeClaim Pod " +
  "Deployment ReplicaSet StatefulSet DaemonSet Job CronJob Ingress IngressClass NetworkPolicy PodDisruptionBudget StorageClass " +
  "PriorityClass Role RoleBinding ClusterRole ClusterRoleBinding ValidatingAdmissionPolicy " +
  "ValidatingAdmissionPolicyBinding").split(" ").map((kind) => `V1${kind}`).concat("V2HorizontalPodAutoscaler");

const BASIC_TYPES: Readonly<Record<string, string>> = {
  string: "s",
  Date: "s",
  V1MicroTime: "s",
  number: "i",
  boolean: "b",
  any: "a",
  IntOrString: "a",
};

interface Model {
  getAttributeTypeMap(): readonly { readonly baseName: string; readonly type: string }[];
}

/** Returns the source of a module with a line for each type. lib/dev/simulator/admission/schema/fields.ts reads it. */
export async function renderKubernetesFields(): Promise<string> {
  const lines = new Map<string, string>();
  for (const kind of KINDS) await addType(kind, lines);
  const table = [...lines].sort(([a], [b]) => a < b ? -1 : 1).map(([, line]) => line).join("");
  return `export const KUBERNETES_FIELDS = \`\n${table}\`;\n`;
}

/** Adds the line of a type, and those of the types in it. The fields of a status are not checked. */
async function addType(model: string, lines: Map<string, string>): Promise<void> {
  const name = nameOf(model), head = KINDS.includes(model) ? ["apiVersion", "kind", "metadata"] : [];
  if (lines.has(name)) return;
  lines.set(name, ""); // set before the types in it, because types can be recursive
  const { [model]: type }: Record<string, Model> = await import(
    `@kubernetes/client-node/dist/gen/models/${model}.js`
  );
  const fields = type!.getAttributeTypeMap().filter(({ baseName }) => !head.includes(baseName));
  const texts: string[] = [];
  for (const { baseName, type } of fields) {
    if (baseName === "status" && head.length > 0) texts.push("status:a");
    else texts.push(`${baseName}:${await formatType(type, lines)}`);
  }
  const line = [name, head.length > 0 ? "+=" : "=", ...texts].join(" ");
  lines.set(name, line.replace(/(?=.{119})(.{1,114}) /g, "$1\n    ") + "\n");
}

async function formatType(type: string, lines: Map<string, string>): Promise<string> {
  const [, item, value] = /^(?:Array<(.*)>|\{ \[key: string\]: (.*); \})$/.exec(type) ?? [];
  if (item !== undefined) return `[${await formatType(item, lines)}]`;
  if (value !== undefined) return `{${await formatType(value, lines)}}`;
  const basic = BASIC_TYPES[type];
  if (basic === undefined) await addType(type, lines);
  return basic ?? nameOf(type);
}

/** Returns the name of a type without its version, for example `PodSpec` for the model `V1PodSpec`. */
function nameOf(model: string): string {
  return model.replace(/^V\d+/, "");
}
