/** Renders the form below a list of spokes that runs an action on several of them, and reads what it sends. */
import { type Markup, markup } from "#lib/http/page.ts";
import { renderFormField } from "#lib/portal/components/forms.ts";
import { hiddenInputs, humanize } from "#lib/portal/components/parts.ts";
import { ACTIONS, SPOKE_ACTIONS, SPOKE_OPERATIONS, type SpokeActionName } from "#lib/operations/table.ts";

export type SpokeListFilter = Readonly<Record<string, string | undefined>>;

/** The prefix of the form's fields that contain the list's filters. */
const FILTER_PREFIX = "filter:";

interface BulkFormProps {
  readonly isOperator: boolean;
  /** The filters of the list. */
  readonly filter: SpokeListFilter;
  /** Whether the list has more than one page. */
  readonly hasMore: boolean;
  /** The ID of the hub to whose page the user returns. */
  readonly hub?: string;
}

export function bulkForm({ isOperator, filter, hasMore, hub }: BulkFormProps): Markup {
  const actions = SPOKE_ACTIONS.filter((each) => isForSeveral(each) && (isOperator || !isForOperators(each)));
  const { sort: _, ...values } = filter;
  const fields = Object.entries(values).flatMap(([name, value]) => value ? [[FILTER_PREFIX + name, value]] : []);
  return markup`<div class="filters bulk">${hiddenInputs({ ...Object.fromEntries(fields), ...(hub && { hub }) })}
<label class="small"><input type="checkbox" data-ticks=".spokes input" hidden> Select all</label>
${
    hasMore
      ? markup`<label class="small"><input type="checkbox" name="everything" value="on"> All matching spokes, on all pages</label>`
      : ""
  }
${
    renderFormField({
      name: "action",
      label: "Action for selected spokes",
      options: [...actions, "destroy"].map((each) => [each, humanize(each)]),
    })
  }
<button class="quiet">Continue</button></div>`;
}

function isForOperators(action: SpokeActionName): boolean {
  return action !== "retry" && "forOperators" in SPOKE_OPERATIONS[action];
}

/** Whether the action can run on several spokes together, because no spoke needs its own input. */
function isForSeveral(action: SpokeActionName): boolean {
  const { individual = false, parameters = {} } = ACTIONS[action];
  const hasField = (name: string) => name === "lmsVersion" || name === "size" || name === "email";
  return !individual && Object.entries(parameters).every(([name, { required }]) => !required || hasField(name));
}

export type BulkFormValues = Readonly<Record<string, string | undefined>>;

/** The spokes that the form selects, as the API takes them. Null if none are selected. */
export type BulkSelection = { readonly ids: readonly string[] } | { readonly filter: object };

export function readBulkSelection(values: BulkFormValues): BulkSelection | null {
  if (values.everything === "on") {
    const filter = Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        name.startsWith(FILTER_PREFIX) && value ? [[name.slice(FILTER_PREFIX.length), value]] : []
      ),
    );
    const { outdated, minStoragePercent } = filter;
    return {
      filter: {
        all: true,
        ...filter,
        ...(outdated && { outdated: outdated === "true" }),
        ...(minStoragePercent && { minStoragePercent: Number(minStoragePercent) }),
      },
    };
  }
  const ids = Object.entries(values).flatMap(([name, value]) =>
    name.startsWith("spoke:") && value === "on" ? [name.slice("spoke:".length)] : []
  );
  return ids.length === 0 ? null : { ids };
}

/** Returns the form's fields that select spokes, for the next form. */
export function selectionFields(values: BulkFormValues): Record<string, string> {
  const isSelected = (name: string) =>
    values.everything === "on" ? name === "everything" || name.startsWith(FILTER_PREFIX) : name.startsWith("spoke:");
  return Object.fromEntries(
    Object.entries(values).filter((pair): pair is [string, string] =>
      pair[1] !== undefined && (pair[0] === "hub" || isSelected(pair[0]))
    ),
  );
}
