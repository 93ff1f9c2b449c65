/** Stores hubs' policies and their history, and reads what each spoke of a hub has. */
import { sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { WantedAddon } from "#lib/model/addon.ts";
import {
  type AnyPolicyVersion,
  type HubPolicy,
  POLICY_SECTIONS,
  type PolicySection,
  type PolicyVersion,
  type SpokePolicy,
} from "#lib/model/policy.ts";
import type { SpokeState } from "#lib/model/states.ts";
import type { TaskHealth } from "#lib/domains/usage/task-health.ts";
import type { PolicyVersionRecord } from "#lib/domains/policy/views.ts";

/** Adds the versions of a policy to its history, unless they are there. */
export async function storePolicyVersions(tx: Tx, federationId: string, policy: HubPolicy): Promise<void> {
  const versions = POLICY_SECTIONS.flatMap((section) => {
    const newest: AnyPolicyVersion | undefined = policy[section];
    return newest ? [{ section, ...newest }] : [];
  });
  if (versions.length === 0) return;
  await tx.insertInto("policy_versions").values(versions.map(({ values, overridable, changedAt, ...version }) => ({
    ...version,
    federationId,
    values: JSON.stringify(values),
    overridable: [...overridable],
    changedAt: new Date(changedAt),
  }))).onConflict((conflict) => conflict.doNothing()).execute();
}

/** Adds the newest versions of an adopted hub to the history. The record in the cluster contains no older ones. */
export async function restorePolicyHistory(
  tx: Tx,
  { id, policy }: { readonly id: string; readonly policy: HubPolicy | null },
): Promise<void> {
  if (policy) await storePolicyVersions(tx, id, policy);
}

const MAX_VERSIONS = 100;

/** Returns the newest versions of a policy, newest first. */
export async function listPolicyVersions(
  rows: RowQueries,
  federationId: string,
  section?: PolicySection,
): Promise<PolicyVersionRecord[]> {
  let query = rows.selectFrom("policy_versions")
    .select(["section", "version", "values", "overridable", "changedAt", "changedBy"])
    .where("federationId", "=", federationId);
  if (section) query = query.where("section", "=", section);
  const found = await query.orderBy("changedAt", "desc").orderBy("section").orderBy("version", "desc").limit(
    MAX_VERSIONS,
  )
    .execute();
  return found.map(({ values, ...version }) => ({ ...version, values: { ...values } }));
}

export async function findPolicyVersion<S extends PolicySection>(
  rows: RowQueries,
  federationId: string,
  section: S,
  version: number,
): Promise<Pick<PolicyVersion<S>, "values" | "overridable"> | undefined> {
  const found = await rows.selectFrom("policy_versions").select(["values", "overridable"])
    .where("federationId", "=", federationId).where("section", "=", section).where("version", "=", version)
    .executeTakeFirst();
  return found as Pick<PolicyVersion<S>, "values" | "overridable"> | undefined;
}

/** A spoke of a hub with the versions that its site has. */
export interface HubSpoke {
  readonly id: string;
  readonly slug: string;
  readonly domain: string;
  readonly cluster: string;
  /** Whether the site's URL uses https. */
  readonly https: boolean;
  /** The port in the site's URL; null if it is the default. */
  readonly port: number | null;
  readonly state: SpokeState;
  readonly identity: boolean;
  readonly content: boolean;
  readonly contentMode: string | null;
  readonly brand: string | null;
  readonly lmsVersion: string;
  readonly policy: SpokePolicy | null;
  readonly settingsVersion: number | null;
  readonly brandVersion: number | null;
  readonly signInVersion: number | null;
  readonly coursesVersion: number | null;
  /** The versions of courses that the site has; null if it has none of the hub's. */
  readonly releases: readonly string[] | null;
  /** Whether the site has the hub's sign-in. */
  readonly hasSignIn: boolean;
  readonly settingsSkipped: readonly string[] | null;
  readonly brandSkipped: readonly string[] | null;
  /** The settings of Moodle whose value was changed on the site. */
  readonly changedSettings: readonly string[] | null;
  readonly signInSkipped: readonly string[] | null;
  readonly coursesSkipped: readonly string[] | null;
  /** The components of the site's add-ons. */
  readonly addons: readonly string[];
  readonly addonsVersion: number | null;
  readonly addonsSkipped: readonly string[] | null;
  /** The add-ons that Wheelwright has installed. */
  readonly installedAddons: readonly WantedAddon[] | null;
  /** The versions of the add-ons that the site reports, by component. Null without a report. */
  readonly reportedAddons: Readonly<Record<string, number>> | null;
}

const HUB_SPOKE_COLUMNS =
  sql`id, federation_id, slug, domain, cluster, state, identity, content, content_mode, brand, policy, lms_version,
  (blueprint_inputs ->> 'https')::boolean as https, (blueprint_inputs ->> 'port')::integer as port,
  (blueprint_inputs #>> '{shared,settings,version}')::integer as settings_version,
  (blueprint_inputs #>> '{shared,brand,version}')::integer as brand_version,
  (blueprint_inputs #>> '{shared,signIn,version}')::integer as sign_in_version,
  blueprint_inputs #>> '{shared,signIn,values}' is not null as has_sign_in,
  (blueprint_inputs #>> '{shared,courses,version}')::integer as courses_version,
  coalesce(blueprint_inputs #> '{shared,courses,values,releases}', 'null') as releases,
  array(select component from spoke_addons where spoke_id = spokes.id order by component) as addons,
  blueprint_inputs #> '{shared,courses,skipped}' as courses_skipped,
  blueprint_inputs #> '{shared,settings,skipped}' as settings_skipped,
  blueprint_inputs #> '{shared,brand,skipped}' as brand_skipped,
  blueprint_inputs #> '{shared,signIn,skipped}' as sign_in_skipped,
  (blueprint_inputs #>> '{shared,addons,version}')::integer as addons_version,
  blueprint_inputs #> '{shared,addons,skipped}' as addons_skipped,
  blueprint_inputs #> '{shared,addons,list}' as installed_addons,
  (select coalesce(jsonb_object_agg(component, version) filter (where component is not null), '{}')
    from spoke_usage left join spoke_addons using (spoke_id)
    where spoke_usage.spoke_id = spokes.id and addons_at is not null having count(*) > 0) as reported_addons,
  (select task_health -> 'changedSettings' from spoke_usage where spoke_id = spokes.id) as changed_settings`;

/** Reads all spokes of a hub that are not removed, by slug. Does not read their inputs, which are large. */
export async function readHubSpokes(rows: RowQueries, federationId: string): Promise<readonly HubSpoke[]> {
  const { rows: found } = await sql<HubSpoke>`
    select ${HUB_SPOKE_COLUMNS} from spokes where federation_id = ${federationId} and state <> 'removed'
    order by slug`.execute(rows);
  return found;
}

/** Returns the settings of Moodle whose value was changed on the site. */
export async function readChangedSettings(rows: RowQueries, spokeId: string): Promise<readonly string[]> {
  const usage = await rows.selectFrom("spoke_usage").select("taskHealth").where("spokeId", "=", spokeId)
    .executeTakeFirst();
  return (usage?.taskHealth as TaskHealth | null | undefined)?.changedSettings ?? [];
}

/** Forgets these settings after the hub's values were set again. If they differ later, the site reports them. */
export async function clearChangedSettings(tx: Tx, spokeId: string): Promise<void> {
  await sql`update spoke_usage set task_health = task_health - 'changedSettings' where spoke_id = ${spokeId}`.execute(
    tx,
  );
}

export async function readHubSpoke(
  rows: RowQueries,
  id: string,
): Promise<HubSpoke & { readonly federationId: string }> {
  const { rows: [found] } = await sql<HubSpoke & { federationId: string }>`
    select ${HUB_SPOKE_COLUMNS} from spokes where id = ${id}`.execute(rows);
  return found!;
}
