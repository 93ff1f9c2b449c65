/** Declares the filters of spokes once, for lists, bulk actions and rollouts, and builds their SQL conditions. */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import {
  BeforeCursor,
  boundedList,
  boundedText,
  createChoiceSchema,
  createOptionalChoiceSchema,
  Flag,
  optionalOrNull,
  OptionalPageLimit,
  QueryFlag,
  SearchText,
  Slug,
} from "#lib/base/schema.ts";
import { isBehindHub, listAddonVersions, type ListedAddons } from "#lib/domains/spokes/behind.ts";
import { SPOKE_SORTS, type SpokeTable, storageRankOf } from "#lib/domains/spokes/sort.ts";
import { AddonComponent } from "#lib/model/addon.ts";
import { MoodleVersion, spokeFields } from "#lib/model/spoke.ts";
import { SPOKE_STATES } from "#lib/model/states.ts";

/** The values by which spokes are filtered. Each is a column of `spokes` and of `live_spokes`. */
const filterValues = {
  slug: Slug,
  state: createChoiceSchema(SPOKE_STATES),
  health: createChoiceSchema(spokeFields.health.schema.options),
  lmsVersion: MoodleVersion,
  size: boundedText(1, 100),
  region: boundedText(1, 100),
};

const PERCENT_MESSAGE = "must be a whole number from 0 to 100";
const Percent = v.pipe(
  v.number(PERCENT_MESSAGE),
  v.integer(PERCENT_MESSAGE),
  v.minValue(0, PERCENT_MESSAGE),
  v.maxValue(100, PERCENT_MESSAGE),
);
const PercentText = v.pipe(
  v.string(PERCENT_MESSAGE),
  v.regex(/^\d{1,3}$/, PERCENT_MESSAGE),
  v.transform(Number),
  v.maxValue(100, PERCENT_MESSAGE),
);

/** The filters as query parameters. A spoke must match all given filters. */
const spokeFilters = {
  slug: v.optional(filterValues.slug),
  state: v.optional(filterValues.state),
  health: v.optional(filterValues.health),
  lmsVersion: v.optional(filterValues.lmsVersion),
  size: v.optional(filterValues.size),
  region: v.optional(filterValues.region),
  /** The spoke's `storagePercent` must be at least this number. */
  minStoragePercent: v.optional(PercentText),
  /** The component of an add-on that the site must have. */
  addon: v.optional(AddonComponent),
  /** Text that the spoke's slug, display name or domain must contain. */
  q: SearchText,
};

/** The query parameters of a list of spokes. */
export const spokeListQuery = {
  ...spokeFilters,
  /** If true, lists only spokes whose manifests come from an older revision of the blueprint. */
  outdated: QueryFlag,
  /**
   * The order of the list. Sorted by the last failure, it contains only spokes on which an operation failed. Sorted by
   * storage, the fullest spokes are first, and spokes whose usage is unknown are last.
   */
  sort: createOptionalChoiceSchema(SPOKE_SORTS),
  limit: OptionalPageLimit,
  before: v.optional(BeforeCursor),
  includeRemoved: QueryFlag,
};

const SELECTOR_MESSAGE = 'must select spokes: use {"all": true} for all spokes that you can see';

/** The filters of a selection of spokes in a request's body. */
const selectorEntries = {
  /** Selects all spokes that the user can see. */
  all: optionalOrNull(v.literal(true, "must be true")),
  /** The ID or slug of a hub. */
  federationId: optionalOrNull(boundedText(1, 100)),
  slug: optionalOrNull(filterValues.slug),
  state: optionalOrNull(filterValues.state),
  health: optionalOrNull(filterValues.health),
  lmsVersion: optionalOrNull(filterValues.lmsVersion),
  size: optionalOrNull(filterValues.size),
  region: optionalOrNull(filterValues.region),
  minStoragePercent: optionalOrNull(Percent),
  addon: optionalOrNull(AddonComponent),
  q: optionalOrNull(boundedText(1, 100)),
  /** If true, selects only spokes whose manifests come from an older revision of the blueprint. */
  outdated: optionalOrNull(Flag),
  /** If true, selects only spokes whose site lacks something of what the hub shares, or has an older add-on than the catalog. */
  behind: optionalOrNull(Flag),
};

/** Selects spokes by their values. A spoke must match everything that is given, and something must be given. */
export const SpokeFilterBody = v.pipe(v.object(selectorEntries), v.check((body) => isAnyGiven(body), SELECTOR_MESSAGE));

/** Returns the schema of a selection by values, by at most `maximum` IDs, or both. */
export function createSelectorSchema(maximum: number) {
  const ids = optionalOrNull(boundedList(boundedText(1, 100), 1, maximum, `must be a list of 1 to ${maximum} ids`));
  return v.pipe(v.object({ ids, ...selectorEntries }), v.check((body) => isAnyGiven(body), SELECTOR_MESSAGE));
}

function isAnyGiven(selector: object): boolean {
  return Object.values(selector).some((value) => value !== undefined);
}
export type SpokeSelector = v.InferOutput<ReturnType<typeof createSelectorSchema>>;

type ValueFilter = { readonly [F in keyof typeof filterValues]?: v.InferOutput<(typeof filterValues)[F]> | undefined };

const VALUE_NAMES = Object.keys(filterValues) as (keyof typeof filterValues)[];

/** Filters for SQL conditions. */
export interface SpokeFilter extends ValueFilter {
  readonly q?: string | undefined;
  readonly minStoragePercent?: number | undefined;
  readonly addon?: string | undefined;
  /** The add-ons of the catalog. If set, only spokes match whose site lacks something of what the hub shares now. */
  readonly behind?: ListedAddons | undefined;
  /** The current revision of the blueprint. If set, only spokes with another revision match. */
  readonly notBlueprint?: string | undefined;
}

/** Returns a query's filters for SQL conditions. */
export function resolveSpokeFilter<
  Q extends { readonly outdated?: boolean | undefined; readonly behind?: boolean | undefined },
>(
  { blueprint, catalog }: Pick<App, "blueprint" | "catalog">,
  { outdated, behind, ...query }: Q,
): Omit<Q, "outdated" | "behind"> & Pick<SpokeFilter, "notBlueprint" | "behind"> {
  return {
    ...query,
    notBlueprint: outdated ? blueprint.revision : undefined,
    behind: behind ? listAddonVersions(catalog) : undefined,
  };
}

/** Returns the condition that a row of the table has all the filters' values. Ignores `q`, and `addon` in live_spokes. */
export function matchesValues(filter: SpokeFilter, table: SpokeTable): RawBuilder<SqlBool> {
  const names = Object.keys(filterValues) as (keyof ValueFilter)[];
  const tests = names.flatMap((name) => filter[name] === undefined ? [] : [sql`${sql.ref(name)} = ${filter[name]}`]);
  if (filter.notBlueprint !== undefined) tests.push(sql`blueprint_revision <> ${filter.notBlueprint}`);
  if (filter.behind !== undefined) {
    const isBehind = isBehindHub(filter.behind);
    tests.push(table === "spokes" ? isBehind : sql`spoke_id in (select spokes.id from spokes where ${isBehind})`);
  }
  if (filter.minStoragePercent !== undefined) tests.push(sql`${storageRankOf(table)} >= ${filter.minStoragePercent}`);
  if (filter.addon !== undefined && table === "spokes") {
    tests.push(
      sql`exists (select from spoke_addons where spoke_addons.spoke_id = spokes.id and component = ${filter.addon})`,
    );
  }
  return tests.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(tests, sql` and `)}`;
}

export function hasValueFilters(filter: SpokeFilter): boolean {
  const { notBlueprint, behind, minStoragePercent, addon } = filter;
  return notBlueprint !== undefined || behind !== undefined || minStoragePercent !== undefined || addon !== undefined ||
    VALUE_NAMES.some((name) => filter[name] !== undefined);
}
