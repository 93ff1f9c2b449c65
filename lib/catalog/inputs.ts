/** Resolves what was asked for, with the catalogue and the configuration, into what a spoke or hub is made from. */
import { isDeepStrictEqual } from "node:util";
import type { Selectable } from "kysely";
import * as v from "valibot";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { HubInputs, SpokeInputs, Word } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/load.ts";
import { resizedInputs, withDisks } from "#lib/moodle/resize.ts";
import type { Surroundings } from "#lib/moodle/sizes.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Config } from "#lib/base/config.ts";

type SpokeColumns = Selectable<Schema["spokes"]>;
/** The columns of a spoke that its site is made from: what the inputs call the same, and what is resolved for them. */
export type SiteColumns = Pick<
  SpokeColumns,
  keyof SpokeColumns & keyof SpokeInputs | "id" | "domain" | "lmsVersion" | "region"
>;

interface OfferedResources {
  readonly catalog: Catalog;
  readonly blueprint: Pick<Blueprint, "quotaArithmetic">;
}

interface HubFields {
  readonly federationId: string;
  readonly namespace: string;
  readonly slug: string;
  readonly region: string | null;
}

/** What was resolved before, and stays so whatever the catalogue says by now. */
type ResolvedInputs = Partial<Pick<SpokeInputs, "images" | "resources" | "brand" | "seed">>;

/** Size and version must be ones that the catalogue takes, unless they are resolved. */
export function spokeInputs(
  catalog: Catalog,
  config: Pick<Config, "acmeEmail" | "releaseId" | "relay"> & Partial<Pick<Config, "sitePort">>,
  spoke: SiteColumns,
  resolved: ResolvedInputs = {},
): SpokeInputs {
  const { id, domain, lmsVersion, region, brand, seed } = spoke;
  const surroundings = catalog.surroundingsOf(region);
  const issuer = issuerNameOf(surroundings, config);
  const https = issuer !== null || surroundings.tls === "elsewhere";
  const inputs = {
    ...spoke, // the schema takes what it knows of it
    spokeId: id,
    host: domain,
    version: lmsVersion,
    images: resolved.images ?? catalog.imagesOf(lmsVersion),
    resources: resolved.resources ?? catalog.resourcesOf(spoke.size),
    brand: brand === null ? null : { name: brand, theme: catalog.themeOf(brand) },
    seed: seed === null ? null : { name: seed, courses: catalog.coursesOf(seed) },
    surroundings,
    https,
    ...(config.sitePort && !https && { port: config.sitePort }),
    issuer,
    mail: null,
    ...(spoke.mail === "held" && { mailHeld: true }),
    ...resolved,
  };
  return withMail(config, v.parse(SpokeInputs, inputs));
}

/**
 * The inputs with the amounts of their size as it is offered now; the very same where nothing has changed, or where it is
 * offered no more, or would not hold the site. Disks stay as they are: they never shrink, and a resize grows them.
 */
export function withOfferedResources({ catalog, blueprint }: OfferedResources, inputs: SpokeInputs): SpokeInputs {
  if (catalog.findProblem("size", inputs.size) !== null) return inputs;
  const canGrow = { files: false, database: false };
  const offered = resizedInputs(inputs, inputs.size, catalog.resourcesOf(inputs.size), { canGrow });
  const isUnchanged = isDeepStrictEqual(withDisks(inputs, inputs.resources.disks).resources, offered.resources);
  return isUnchanged || blueprint.quotaArithmetic(offered).over.length > 0 ? inputs : offered;
}

/**
 * The inputs that a row holds, for work of today. How mail goes out is not what a spoke was made from, but what the
 * configuration says now: an account that was taken away must not come back from a row.
 */
export function withMail({ relay }: Pick<Config, "relay">, inputs: SpokeInputs): SpokeInputs {
  if (!relay) return { ...inputs, mail: null };
  const { host, port, user } = relay, sender = /<([^<>]+)>\s*$/.exec(relay.from ?? "")?.[1] ?? relay.from?.trim();
  const from = v.is(Word, sender) ? sender : `noreply@${inputs.host}`;
  return { ...inputs, mail: { host, port, user: user && user.replace("${namespace}", inputs.namespace), from } };
}

export function hubInputs(
  catalog: Catalog,
  config: Pick<Config, "acmeEmail" | "releaseId">,
  request: HubFields,
): HubInputs {
  const { region, ...hub } = request;
  const surroundings = catalog.surroundingsOf(region);
  const issuer = createdIssuerName(surroundings, config);
  return v.parse(HubInputs, { ...hub, surroundings, issuer, acmeEmail: issuer && config.acmeEmail });
}

/** The address of a spoke, as its site believes it to be. */
export function spokeUrl(inputs: Pick<SpokeInputs, "https" | "host" | "port">): string {
  return `${inputs.https ? "https" : "http"}://${inputs.host}${inputs.port ? `:${inputs.port}` : ""}`;
}

/** The ClusterIssuer: the surroundings' own, or ours of the ingress class, since challenges go through that class. */
export function issuerNameOf(
  { tls, issuer, ingressClass }: Surroundings,
  config: Pick<Config, "acmeEmail" | "releaseId">,
): string | null {
  if (tls !== "acme") return null;
  return issuer ?? (config.acmeEmail ? `wheelwright-${config.releaseId}-${ingressClass}` : null);
}

/** Returns the name of the ClusterIssuer that the program creates; null where none is needed, or another one is named. */
export function createdIssuerName(
  surroundings: Surroundings,
  config: Pick<Config, "acmeEmail" | "releaseId">,
): string | null {
  return surroundings.issuer === undefined ? issuerNameOf(surroundings, config) : null;
}

/** Returns the names of the ClusterIssuers that the program creates for any of the catalogue's regions. */
export function createdIssuerNames(
  { regions, surroundingsOf }: Pick<Catalog, "regions" | "surroundingsOf">,
  config: Pick<Config, "acmeEmail" | "releaseId">,
): string[] {
  const names = [null, ...regions.map(({ name }) => name)].map((region) =>
    createdIssuerName(surroundingsOf(region), config)
  );
  return [...new Set(names.filter((name) => name !== null))];
}
