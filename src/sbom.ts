/**
 * The bill of materials: what Wheelwright needs at run time, as CycloneDX, `npm run --silent sbom > sbom.json`.
 *
 * `npm sbom --omit dev` leaves out whatever some development package needs as well, such as nodemailer and yaml. So npm
 * lists everything that the lock names, for all platforms, and only what our own dependencies lead to is kept.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import about from "../package.json" with { type: "json" };

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly scope?: string;
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const NPM = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];

/** Without what only development needs: its packages, also where one of ours would use them if they were there. */
function keepNeeded(bom: Bom, { dependencies, optionalDependencies, devDependencies }: typeof about): Bom {
  const root = bom.metadata.component["bom-ref"];
  const edges = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const known = new Map(bom.components.map((component) => [component["bom-ref"], component]));
  const wanted = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
  const kept = new Set([root]);
  for (const ref of kept) { // which grows meanwhile
    for (const next of edges.get(ref) ?? []) {
      const { name, scope } = known.get(next)!;
      if (ref === root ? wanted.has(name) : !(name in devDependencies && scope === "optional")) kept.add(next);
    }
  }
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...bom.metadata.component, name: about.name } }, // npm takes the folder's
    components: bom.components.filter((component) => kept.has(component["bom-ref"])),
    dependencies: bom.dependencies.filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((next) => kept.has(next)) })),
  };
}

// A test imports this module too, and does nothing by that.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = execFileSync("npm", NPM, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
  process.stdout.write(`${JSON.stringify(keepNeeded(JSON.parse(text), about), null, 2)}\n`);
}
