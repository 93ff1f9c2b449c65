/** Renders the parts of the new-spoke form for copying an existing spoke. */
import { type Markup, markup } from "#lib/http/page.ts";
import { type FormField, renderFormField } from "#lib/portal/components/forms.ts";
import { panel } from "#lib/portal/components/parts.ts";
import type { BackupList, Hub, Spoke } from "#lib/portal/components/api-types.ts";

export interface SpokeToCopy {
  readonly spoke: Spoke;
  readonly backups: BackupList;
}

/** Returns the spokes that can be copied. Spokes in this hub are first in the list. */
export function listCopyableSpokes(spokes: readonly Spoke[], { id }: Pick<Hub, "id">): readonly Spoke[] {
  const copyable = spokes.filter(({ readyAt, state }) => readyAt !== null && state !== "removing");
  const here = (spoke: Spoke): boolean => spoke.federationId === id;
  return [...copyable.filter(here), ...copyable.filter((spoke) => !here(spoke))];
}

/** Renders a form in which the user selects a spoke to copy. */
export function copySpokePanel({ id }: Pick<Hub, "id">, spokes: readonly Spoke[]): Markup | string {
  if (spokes.length === 0) return "";
  return panel(
    "Or copy an existing spoke",
    markup`<form action="/hubs/${id}/spokes/new" class="stack">${
      renderFormField({
        name: "copyOf",
        label: "Copy of",
        hint: "Creates a separate site with the same courses and users. The copy sends no mail until you turn mail on.",
        options: spokes.map((spoke) => [spoke.id, `${spoke.displayName}, ${spoke.domain}`]),
      })
    }<div class="form-actions"><button class="quiet">Continue</button></div></form>`,
    { id: "copying" },
  );
}

/** Returns the field in which the user chooses what to copy: the spoke's current state or a backup. */
export function backupSelect(
  { backups: { snapshots } }: SpokeToCopy,
  value: string,
): FormField {
  const ready = snapshots.filter(({ state }) => state === "ready");
  const options = ready.map(({ id, createdAt }, i) =>
    [id, `${i === 0 ? "Newest backup" : "Backup"}, ${createdAt.slice(0, 16).replace("T", " ")} UTC`] as const
  );
  return {
    name: "copyBackup",
    label: "State to copy",
    hint: "To copy the current state, the original site is backed up first. The original site stays available.",
    value: value || (options[0]?.[0] ?? "now"),
    options: [...options, ["now", "Current state (takes a backup first)"]],
  };
}
