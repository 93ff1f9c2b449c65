/** Renders a site's Kubernetes objects from blueprint files. Equal inputs give equal objects, except for passwords. */
import { adaptObject } from "#lib/moodle/adapt-object.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { ConfigError } from "#lib/base/config.ts";
import {
  ADOPTION_FILE_NAME,
  BLUEPRINT_JOBS,
  type BlueprintFiles,
  type BlueprintJobName,
  FORMER_HOST_FILE_NAME,
  JOB_MANIFEST_FILES,
  MAIL_SECRET_FILE_NAME,
  readBlueprintOverlay,
  SECRETS_FILE_NAME,
  SPOKE_INSTALL_STEPS,
  SPOKE_STEP_FILES,
  type SpokeInstallStep,
} from "#lib/moodle/blueprint-files.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { buildAdoptionContainers } from "#lib/moodle/origin.ts";
import { buildJobValues, type JobParameters } from "#lib/moodle/job-values.ts";
import { createHubBlueprint, type HubBlueprint } from "#lib/moodle/hub-blueprint.ts";
import {
  parseBlueprint,
  type ParsedBlueprint,
  pickSeedScripts,
  toPhpCommandArgument,
} from "#lib/moodle/parse-blueprint.ts";
import { computeQuotaUsage, type QuotaUsage } from "#lib/moodle/quota.ts";
import { buildSampleSpokeInputs, findVersionImages, type SpokeImages } from "#lib/moodle/releases.ts";
import { createObjectRenderer, type OwnerOfObjects } from "#lib/moodle/render-objects.ts";
import { deriveRelayPassword, generateSitePassword } from "#lib/moodle/secrets.ts";
import { buildSeedValues, type HubSettings, NO_HUB_SETTINGS, type SeedPart } from "#lib/moodle/seed.ts";
import { buildFormerHostValues, buildSpokeManifestValues, findMailSettings } from "#lib/moodle/values.ts";

export interface Blueprint
  extends HubBlueprint, Pick<ParsedBlueprint, "revision" | "sizes" | "images" | "surroundings"> {
  /**
   * Returns the container images for a Moodle version; null if the version is unknown. A prefix such as 4.5 selects the
   * newest listed version, such as 4.5.12. For other versions, the name of the image is derived from a pattern.
   */
  findImages(version: string): SpokeImages | null;
  /**
   * Returns a spoke's objects for a step, in the order in which to apply them. The Namespace in the step `namespace` is
   * created, not applied. Only the step `seed` (initial content) uses `hub` and `changes`, which lists parts to set.
   */
  spokeObjects(
    inputs: SpokeInputs,
    step: SpokeInstallStep,
    hub?: HubSettings,
    changes?: readonly SeedPart[] | null,
  ): KubeObject[];
  /** Returns Secrets with new random passwords. Existing Secrets are never updated, so a site keeps its passwords. */
  newSecrets(inputs: SpokeInputs): KubeObject[];
  /** Returns the Secret with a spoke's mail relay password. The password is derived from the relay's `secret`. */
  mailSecret(inputs: SpokeInputs, secret: string | null): KubeObject[];
  jobObject(inputs: SpokeInputs, job: BlueprintJobName, fence: string, parameters?: JobParameters): KubeObject;
  /** Compares the resources that a spoke's objects need with the spoke's ResourceQuota. */
  quotaUsage(inputs: SpokeInputs): QuotaUsage;
}

/** Loads the blueprint. Files in `directory` override built-in files. Throws a ConfigError if a file is invalid. */
export async function loadBlueprint(builtIn: BlueprintFiles, directory: string | null = null): Promise<Blueprint> {
  if (directory === null) return createBlueprint(builtIn);
  return createBlueprint({ ...builtIn, ...await readBlueprintOverlay(directory) }, `BLUEPRINT_DIR (${directory})`);
}

/** Parses blueprint files. Throws a ConfigError that lists all problems, each prefixed with `source`. */
export function createBlueprint(files: BlueprintFiles, source = "The built-in blueprint"): Blueprint {
  const createError = (problems: readonly string[]) =>
    new ConfigError(problems.map((problem) => `${source}: ${problem}`));
  const parsed = parseBlueprint(files, createError);
  const { revision, sizes, images, surroundings } = parsed;

  const render = createObjectRenderer(parsed);

  function spokeOwner({ namespace, federationId, spokeId, sandbox }: SpokeInputs): OwnerOfObjects {
    return { namespace, federationId, spokeId, sandbox };
  }

  const blueprint: Blueprint = {
    ...createHubBlueprint(parsed, render),
    revision,
    sizes,
    images,
    surroundings,
    findImages: (version) => findVersionImages(images, version),
    spokeObjects(inputs, step, hub = NO_HUB_SETTINGS, changes = null) {
      const seed = step === "seed" ? { ...buildSeedValues(inputs, hub, changes), ...pickSeedScripts(parsed) } : {};
      const base = buildSpokeManifestValues(inputs);
      const values = {
        ...base,
        ...buildAdoptionContainers(parsed.manifests.get(ADOPTION_FILE_NAME)!, base, inputs),
        ...seed,
        USAGE_SCRIPT: toPhpCommandArgument(parsed.scripts.usage),
      };
      const owner = spokeOwner(inputs), former = step === "ingress" ? inputs.formerHosts ?? [] : [];
      return [
        ...SPOKE_STEP_FILES[step].flatMap((file) => render(file, values, owner)).map((each) =>
          adaptObject(each, inputs)
        ),
        ...former.flatMap((each) =>
          render(FORMER_HOST_FILE_NAME, { ...values, ...buildFormerHostValues(inputs, each) }, owner)
        ),
      ];
    },
    newSecrets(inputs) {
      const secrets = {
        DATABASE_PASSWORD: generateSitePassword(),
        CONTROL_PASSWORD: generateSitePassword(),
        ADMIN_PASSWORD: generateSitePassword(),
      };
      return render(SECRETS_FILE_NAME, { ...buildSpokeManifestValues(inputs), ...secrets }, spokeOwner(inputs));
    },
    mailSecret(inputs, secret) {
      const user = findMailSettings(inputs)?.user;
      const values = {
        ...buildSpokeManifestValues(inputs),
        SMTP_PASSWORD: user && secret ? deriveRelayPassword(secret, user) : "",
      };
      return render(MAIL_SECRET_FILE_NAME, values, spokeOwner(inputs));
    },
    jobObject(inputs, job, fence, parameters = {}) {
      const values = {
        ...buildSpokeManifestValues(inputs),
        ...buildJobValues(parsed.scripts, job, fence, parameters),
      };
      return adaptObject(render(JOB_MANIFEST_FILES[job], values, spokeOwner(inputs))[0]!, inputs);
    },
    quotaUsage({ madeDatabaseDisk: _, ...inputs }) { // the current disk size counts
      return computeQuotaUsage(
        SPOKE_INSTALL_STEPS.flatMap((step) => blueprint.spokeObjects(inputs, step)),
        BLUEPRINT_JOBS.map((job) => blueprint.jobObject(inputs, job, "0")),
      );
    },
  };

  const problems = Object.entries(sizes.sizes).flatMap(([name, size]) =>
    blueprint.quotaUsage(buildSampleSpokeInputs(blueprint, name, size)).problems.map((over) =>
      `sizes.yaml: sizes.${name}: ${over}`
    )
  );
  if (problems.length > 0) throw createError(problems);
  return Object.freeze(blueprint);
}
