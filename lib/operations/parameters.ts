/** Reads the parameters of an action from a request. */
import { type Catalog, type CatalogField, requireOfferedValues } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";
import { getOperationRules } from "#lib/operations/check-action.ts";
import { ACTIONS, type SpokeActionName } from "#lib/operations/table.ts";

/**
 * Returns the values of the action's parameters, which become the job's payload. Ignores parameters of other actions.
 * Throws an `invalid` fault if a required parameter is missing or if the catalog does not offer a value.
 */
export function parseActionParameters(
  catalog: Catalog,
  action: SpokeActionName,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, { required, catalogued, hint }] of Object.entries(ACTIONS[action].parameters ?? {})) {
    const value = input[name];
    if (value !== undefined) values[name] = value;
    else if (required) {
      const message = `${name} is required to ${getOperationRules(action).verbPhrase}: ${lowerFirst(hint)}`;
      throw new Fault("invalid", "parameter_needed", message);
    }
    if (catalogued !== null) requireOfferedValues(catalog, { [name as CatalogField]: value as string });
  }
  return values;
}

function lowerFirst(text: string): string {
  return text[0]!.toLowerCase() + text.slice(1);
}
