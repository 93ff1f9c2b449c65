/** Renders the pages on which users set up and remove their second factors. */
import type * as v from "valibot";
import type { FactorView, SecondFactorsView } from "#lib/domains/auth/factors/views.ts";
import { factorMissingFault } from "#lib/domains/auth/factors/store.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";

type FactorItem = v.InferOutput<typeof FactorView>;
type SecondFactors = v.InferOutput<typeof SecondFactorsView>;

export const SECURITY_PATH = "/account/security";
export const SECURITY_SUBPAGE = {
  section: "account",
  crumbs: [["Account", "/account"], ["Sign-in security", SECURITY_PATH]],
} as const;
const KINDS: Readonly<Record<FactorItem["kind"], string>> = { totp: "Authenticator app", passkey: "Passkey" };
const FEW_CODES = 3;

export function securityView({ factors, recoveryCodes, required }: SecondFactors): PageView {
  const add = markup`<div class="button-row">${
    ui.linkButton(["Add an authenticator app", `${SECURITY_PATH}/app`], "main")
  }${ui.linkButton(["Add a passkey", `${SECURITY_PATH}/passkey`])}</div>`;
  return {
    title: "Sign-in security",
    section: "account",
    crumbs: [["Account", "/account"]],
    lead: "A second factor protects your account even if somebody learns your password.",
    ...(factors.length > 0 && { actions: add }),
    body: markup`${
      factors.length === 0
        ? ui.emptyState(
          "No second factor yet",
          required
            ? "Your account needs a second factor. Set one up to continue."
            : "You sign in with your password alone. Set up a second factor to protect your account.",
          add,
        )
        : ui.panel(
          "Second factors",
          markup`<ul class="list factors">${
            factors.map((factor) => factorRow(factor, factors.length === 1 && required))
          }</ul>`,
          { id: "factors" },
        )
    }
${factors.length === 0 ? "" : recoveryPanel(recoveryCodes)}`,
  };
}

function factorRow({ id, kind, name, createdAt, lastUsedAt }: FactorItem, isNeeded: boolean): Markup {
  return markup`<li id="${id}"><span class="name">${name}<span class="tiny soft">${KINDS[kind]}</span></span>
<span class="tiny soft">Added ${ui.renderTime(createdAt)}<br>Last used ${ui.renderTime(lastUsedAt)}</span>
<span class="button-row"><a class="button quiet" href="${SECURITY_PATH}/${id}/rename">Rename …<span class="visually-hidden"> ${name}</span></a>${
    isNeeded
      ? ""
      : markup`<a class="button quiet" href="${SECURITY_PATH}/${id}/remove">Remove …<span class="visually-hidden"> ${name}</span></a>`
  }</span></li>`;
}

function recoveryPanel(left: number): Markup {
  const state = markup`<p class="small">${left} of 10 recovery codes are unused. Each code signs you in once if you lose
your second factor.</p>`;
  return ui.panel(
    "Recovery codes",
    markup`${left <= FEW_CODES ? ui.callout("warn", "Few recovery codes are left. Renew them.") : ""}${state}`,
    { id: "recovery", actions: ui.linkButton(["Renew …", `${SECURITY_PATH}/recovery-codes`]) },
  );
}

/** Returns the page that shows new recovery codes. They cannot be shown again. */
export function recoveryCodesView(codes: readonly string[], host: string): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: "Recovery codes",
    lead: "If you lose your second factor, each of these codes signs you in once.",
    body: markup`${
      ui.callout(
        "good",
        markup`<p><b>Save these codes now.</b> They are not shown again. Print them, or store them in a password manager.</p>`,
      )
    }
${
      ui.panel(
        `Recovery codes for Wheelwright at ${host}`,
        markup`<pre class="recovery-codes" tabindex="0">${codes.join("\n")}</pre>`,
        { id: "codes" },
      )
    }
<p>${ui.linkButton(["I have saved the codes", `${SECURITY_PATH}?done=factor`], "main")}</p>`,
  };
}

export function renewCodesView(submission?: RefusedSubmission): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: "Renew your recovery codes?",
    body: markup`<p>The next page shows ten new codes once. All earlier codes stop working.</p>${
      renderPostForm({
        action: `${SECURITY_PATH}/recovery-codes`,
        button: "Renew recovery codes",
        submission,
        also: ui.linkButton(["Cancel", SECURITY_PATH]),
      })
    }`,
  };
}

/** Returns one of the user's factors. Throws a `missing` fault (`factor_missing`). */
export function requireFactor({ factors }: SecondFactors, id: string | undefined): FactorItem {
  const found = factors.find((factor) => factor.id === id);
  if (!found) throw factorMissingFault();
  return found;
}

export function renameFactorView({ id, name }: FactorItem, submission?: RefusedSubmission): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: `Rename ${name}`,
    body: renderPostForm(
      {
        action: `${SECURITY_PATH}/${id}/rename`,
        button: "Save",
        submission,
        also: ui.linkButton(["Cancel", SECURITY_PATH]),
      },
      { name: "name", label: "Name", value: name, required: true, maxLength: 100 },
    ),
  };
}

export function removeFactorView(
  { id, name }: FactorItem,
  isLast: boolean,
  submission?: RefusedSubmission,
): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: `Remove ${name}?`,
    body: markup`<p>${
      isLast
        ? "You will sign in with your password alone. Your recovery codes stop working."
        : "You can no longer sign in with it. Your other second factors stay."
    }</p>${
      renderPostForm({
        action: `${SECURITY_PATH}/${id}/remove`,
        button: "Remove",
        variant: "danger",
        submission,
        also: ui.linkButton(["Cancel", SECURITY_PATH]),
      })
    }`,
  };
}
