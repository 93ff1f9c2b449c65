/**
 * A blueprint: all that is known of making a spoke of one platform, from its files.
 *
 * Rendering is pure: the same inputs and the same revision always give the same objects, no matter who asks.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { ConfigError } from "#lib/base/config.ts";
import {
  ADOPT_FILE,
  type Files,
  FORMER_FILE,
  HUB_FILES,
  type HubStep,
  JOB_FILES,
  type JobName,
  JOBS,
  MAIL_FILE,
  readOverlay,
  SECRETS_FILE,
  SPOKE_STEPS,
  type SpokeStep,
  STEP_FILES,
} from "#lib/moodle/files.ts";
import type { HubInputs, SpokeInputs } from "#lib/moodle/inputs.ts";
import { adoptionValues, withSource } from "#lib/moodle/origin.ts";
import { asArgument, readParts } from "#lib/moodle/parts.ts";
import { type Arithmetic, arithmetic } from "#lib/moodle/quota.ts";
import { findImages, sampleInputs, type SpokeImages } from "#lib/moodle/releases.ts";
import { fill, type Values } from "#lib/moodle/render.ts";
import { shutIn } from "#lib/moodle/sandbox.ts";
import { newSitePassword, relayPassword } from "#lib/moodle/secrets.ts";
import { type HubSettings, NO_SETTINGS, type SeedPart, seedValues } from "#lib/moodle/seed.ts";
import type { Images, Sizes, Surroundings } from "#lib/moodle/sizes.ts";
import { type ObjectOwner, stamp } from "#lib/moodle/stamp.ts";
import { formerValues, hubValues, mailOf, spokeValues } from "#lib/moodle/values.ts";

/** What single Jobs are told besides. */
export interface JobTold {
  /** Whom the Job `sign-in-link` seals its answer for. */
  readonly linkKey?: string;
  /** Of the site that the Job `settle` must find, where it is known. */
  readonly siteIdentifier?: string;
  /** When the backup began that the Job `verify-files` looks at, in seconds since 1970. */
  readonly since?: number;
}

export interface Blueprint {
  readonly revision: string;
  readonly sizes: Sizes;
  readonly images: Images;
  readonly surroundings: Surroundings;
  /** Images of a version: as listed, the newest listed that it begins (4.5 -> 4.5.12), else by its family; or null. */
  findImages(version: string): SpokeImages | null;
  /**
   * What a step applies, in order; `namespace` is one Namespace, which is created. `seed` needs the hub's settings, and of a
   * site that is set up, what is to be set anew.
   */
  spokeObjects(
    inputs: SpokeInputs,
    step: SpokeStep,
    hub?: HubSettings,
    changes?: readonly SeedPart[] | null,
  ): KubeObject[];
  /** Secrets with new random values, to be created, never applied: what stands there already is right. */
  newSecrets(inputs: SpokeInputs): KubeObject[];
  /** The Secret with the spoke's password at the relay, made from the relay's secret; applied in the step `secrets`. */
  mailSecret(inputs: SpokeInputs, secret: string | null): KubeObject[];
  jobObject(inputs: SpokeInputs, job: JobName, fence: string, told?: JobTold): KubeObject;
  /** `issuer` is empty without ACME_EMAIL; what it has belongs to no namespace (applyGlobal). */
  hubObjects(inputs: HubInputs, step: HubStep): KubeObject[];
  /** What a spoke will take, and what it may. */
  quotaArithmetic(inputs: SpokeInputs): Arithmetic;
}

/** The built-in files with those of the directory, if there is one, in their place. Throws ConfigError. */
export async function loadBlueprint(builtIn: Files, directory: string | null = null): Promise<Blueprint> {
  if (directory === null) return makeBlueprint(builtIn);
  return makeBlueprint({ ...builtIn, ...await readOverlay(directory) }, `BLUEPRINT_DIR (${directory})`);
}

/** Throws ConfigError, which tells everything that is wrong with the files; `source` is where they are from. */
export function makeBlueprint(files: Files, source = "The built-in blueprint"): Blueprint {
  const refuse = (problems: readonly string[]) => new ConfigError(problems.map((problem) => `${source}: ${problem}`));
  const parts = readParts(files, refuse);
  const { revision, sizes, images, surroundings } = parts;

  function render(file: string, values: Values, owner: ObjectOwner): KubeObject[] {
    return parts.manifests.get(file)!.map((template) => fill(template, values))
      .filter((object) => object !== undefined)
      .map((object) => stamp(object as KubeObject, owner));
  }

  function spokeOwner(inputs: SpokeInputs): ObjectOwner {
    const { namespace, federationId, spokeId, sandbox } = inputs;
    return { namespace, federationId, spokeId, sandbox, revision };
  }

  const blueprint: Blueprint = {
    revision,
    sizes,
    images,
    surroundings,
    findImages: (version) => findImages(images, version),
    spokeObjects(inputs, step, hub = NO_SETTINGS, changes = null) {
      const scripts = { SEED_SCRIPT: parts.scripts.seed, COURSES_SCRIPT: parts.scripts.courses };
      const seed = step === "seed" ? { ...seedValues(inputs, hub, changes), ...scripts } : {};
      const own = spokeValues(inputs);
      const values = { ...own, ...adoptionValues(parts.manifests.get(ADOPT_FILE)!, own, inputs), ...seed };
      const owner = spokeOwner(inputs), former = step === "ingress" ? inputs.formerHosts ?? [] : [];
      return [
        ...STEP_FILES[step].flatMap((file) => render(file, values, owner)).map((each) =>
          shutIn(withSource(each, inputs), inputs)
        ),
        ...former.flatMap((each) => render(FORMER_FILE, { ...values, ...formerValues(inputs, each) }, owner)),
      ];
    },
    newSecrets(inputs) {
      const secrets = {
        DATABASE_PASSWORD: newSitePassword(),
        CONTROL_PASSWORD: newSitePassword(),
        ADMIN_PASSWORD: newSitePassword(),
      };
      return render(SECRETS_FILE, { ...spokeValues(inputs), ...secrets }, spokeOwner(inputs));
    },
    mailSecret(inputs, secret) {
      const user = mailOf(inputs)?.user;
      const values = { ...spokeValues(inputs), SMTP_PASSWORD: user && secret ? relayPassword(secret, user) : "" };
      return render(MAIL_FILE, values, spokeOwner(inputs));
    },
    jobObject(inputs, job, fence, { linkKey = "", siteIdentifier = "", since = 0 } = {}) {
      const own = {
        JOB: job,
        FENCE: fence,
        CLAIM: job === "claim" ? fence : "0",
        MAINTENANCE: job === "maintenance-enable" ? "enable" : "disable",
        PASSWORD_SCRIPT: asArgument(parts.scripts.password),
        LINK_SCRIPT: asArgument(parts.scripts.link),
        LINK_KEY: linkKey,
        FACTS_SCRIPT: asArgument(parts.scripts.facts),
        SITE_IDENTIFIER: siteIdentifier,
        VERIFY_FILES_SCRIPT: asArgument(parts.scripts.verifyFiles),
        SINCE: String(since),
      };
      return render(JOB_FILES[job], { ...spokeValues(inputs), ...own }, spokeOwner(inputs))[0]!;
    },
    hubObjects(inputs, step) {
      if (step === "issuer" && inputs.issuer === null) return [];
      const owner = step === "issuer"
        ? { namespace: null, federationId: null, spokeId: null, revision }
        : { namespace: inputs.namespace, federationId: inputs.federationId, spokeId: null, revision };
      const objects = render(HUB_FILES[step], hubValues(inputs), owner);
      if (step === "issuer") return objects;
      return objects.filter((object) => (object.kind === "Namespace") === (step === "namespace"));
    },
    quotaArithmetic({ madeDatabaseDisk: _, ...inputs }) { // what counts is the disk that there is
      return arithmetic(
        SPOKE_STEPS.flatMap((step) => blueprint.spokeObjects(inputs, step)),
        JOBS.map((job) => blueprint.jobObject(inputs, job, "0")),
      );
    },
  };

  const problems = Object.entries(sizes.sizes).flatMap(([name, size]) =>
    blueprint.quotaArithmetic(sampleInputs(blueprint, name, size)).over.map((over) =>
      `sizes.yaml: sizes.${name}: ${over}`
    )
  );
  if (problems.length > 0) throw refuse(problems);
  return Object.freeze(blueprint);
}
