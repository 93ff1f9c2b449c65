/**
 * Prints a bill of materials (a list of the packages that Wheelwright needs at run time) as CycloneDX JSON.
 *
 *   npm run --silent build -- sbom > sbom.json
 *
 * `npm sbom --omit dev` would also omit some packages that are needed at run time, such as yaml, because a development
 * package needs them too. So this script lists the packages in package-lock.json that run-time dependencies need.
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

/** Removes packages that are needed only for development, even if a dependency lists them as optional. */
function removeDevelopmentPackages(
  bom: Bom,
  { dependencies, optionalDependencies, devDependencies }: typeof about,
): Bom {
  const root = bom.metadata.component["bom-ref"];
  const edges = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const components = new Map(bom.components.map((component) => [component["bom-ref"], component]));
  const direct = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
  const refs = new Set([root]);
  for (const ref of refs) { // the set grows during the loop
    for (const next of edges.get(ref) ?? []) {
      const { name, scope } = components.get(next)!;
      if (ref === root ? direct.has(name) : !(name in devDependencies && scope === "optional")) refs.add(next);
    }
  }
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...bom.metadata.component, name: about.name } }, // npm uses the folder
    components: bom.components.filter((component) => refs.has(component["bom-ref"])),
    dependencies: bom.dependencies.filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((next) => refs.has(next)) })),
  };
}

// Prints only if this file runs as a script, because a test imports this module without running npm.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = execFileSync("npm", NPM, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
  process.stdout.write(`${JSON.stringify(removeDevelopmentPackages(JSON.parse(text), about), null, 2)}\n`);
}
