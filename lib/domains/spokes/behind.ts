/** Builds the SQL condition for spokes whose site lacks something of what the hub shares now. */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Catalog } from "#lib/catalog/catalog.ts";

/** The versions of add-ons that the catalog lists, as JSON. */
export type ListedAddons = string;

export function listAddonVersions({ addons }: Pick<Catalog, "addons">): ListedAddons {
  return JSON.stringify((addons ?? []).map(({ component, version, branches }) => ({ component, version, branches })));
}

/**
 * Returns the condition on a row of `spokes`: the site has an older version of a section of the hub's policy, or of an
 * add-on that the catalog lists for the site's Moodle.
 */
export function isBehindHub(addons: ListedAddons): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from federations as hub where hub.id = spokes.federation_id and (
      exists (
        select from jsonb_each(hub.policy) as section (name, newest)
        where not coalesce(spokes.policy -> 'excluded' ? section.name, false)
          and (section.name <> 'signIn' or spokes.identity) and (section.name <> 'courses' or spokes.content)
          and spokes.blueprint_inputs #>> array['shared', section.name, 'version'] is distinct from newest ->> 'version'
      ) or exists (
        select from jsonb_array_elements(spokes.blueprint_inputs #> '{shared,addons,list}') as own (addon)
        join jsonb_to_recordset(${addons}::jsonb) as listed (component text, version double precision, branches jsonb)
          on listed.component = addon ->> 'component'
            and listed.branches ? substring(spokes.lms_version from '^[0-9]+[.][0-9]+')
        where listed.version > (addon ->> 'version')::double precision
          and not coalesce(spokes.policy -> 'excluded' ? 'addons', false)
      )
    )
  )`;
}
