/** Renders the pages on which users add an authenticator app or a passkey. */
import type * as v from "valibot";
import type { NewFactorView } from "#lib/domains/auth/factors/views.ts";
import { markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { renderQrCode } from "#lib/portal/people/qr-code.ts";
import { SECURITY_PATH, SECURITY_SUBPAGE } from "#lib/portal/people/security.ts";
import { renderPasskeyForm } from "#lib/portal/sign-in/passkey-form.ts";

type NewFactorItem = v.InferOutput<typeof NewFactorView>;

/** The values that the page with the QR code shows. */
interface NewApp {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  readonly uri: string;
}

export function newAppView(submission?: RefusedSubmission): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: "Add an authenticator app",
    lead: "An authenticator app on your phone, or a password manager, shows a new code every 30 seconds.",
    body: renderPostForm(
      {
        action: `${SECURITY_PATH}/app`,
        button: "Continue",
        submission,
        also: ui.linkButton(["Cancel", SECURITY_PATH]),
      },
      {
        name: "name",
        label: "Name",
        hint: "To recognize the app or the device later.",
        value: "Authenticator app",
        required: true,
        maxLength: 100,
      },
    ),
  };
}

/** Returns the page with the QR code and the form for the first code. Its hidden fields show the QR code again. */
export function activateAppView({ id, name, secret, uri }: NewApp, submission?: RefusedSubmission): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: name,
    lead: "Scan the QR code with your authenticator app, then enter the code that it shows.",
    body: markup`<div class="enrolment">${renderQrCode(uri, "QR code for your authenticator app")}
<div>${
      renderPostForm(
        {
          action: `${SECURITY_PATH}/${id}/activate`,
          button: "Activate",
          submission,
          hidden: { name, secret, uri },
          also: ui.linkButton(["Cancel", SECURITY_PATH]),
        },
        codeField(),
      )
    }
<details><summary>You cannot scan the code?</summary><p class="small">Enter this key in the app, with the type
“time based”:</p>${ui.copyableCode(secret.replaceAll(/(.{4})(?=.)/g, "$1 "), "the key")}</details></div></div>`,
  };
}

function codeField() {
  return {
    name: "code",
    label: "Code",
    hint: "6 digits",
    required: true,
    autocomplete: "one-time-code",
    maxLength: 10,
  } as const;
}

export function newPasskeyView(submission?: RefusedSubmission): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: "Add a passkey",
    lead: "A passkey is in your device, your password manager or a security key. It signs you in without a password.",
    body: renderPostForm(
      {
        action: `${SECURITY_PATH}/passkey`,
        button: "Continue",
        submission,
        also: ui.linkButton(["Cancel", SECURITY_PATH]),
      },
      {
        name: "name",
        label: "Name",
        hint: "To recognize the device or the password manager later.",
        value: "Passkey",
        required: true,
        maxLength: 100,
      },
    ),
  };
}

/** Returns the page on which the browser creates the passkey. */
export function activatePasskeyView({ id, name, options }: NewFactorItem): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: name,
    lead: "Your browser asks where to save the passkey.",
    body: markup`${
      renderPasskeyForm({
        action: `${SECURITY_PATH}/${id}/activate`,
        button: "Create passkey",
        use: "register",
        variant: "main",
        ...(options && { options }),
      })
    }
<p data-no-passkeys>This browser cannot create passkeys, or does not run scripts. Use a current browser, or add an
authenticator app instead.</p><p>${ui.linkButton(["Cancel", SECURITY_PATH])}</p>`,
  };
}

/** Returns the page for a passkey that the server refused. */
export function refusedPasskeyView({ message }: RefusedSubmission): PageView {
  return {
    ...SECURITY_SUBPAGE,
    title: "The passkey was not added",
    body: markup`${ui.callout("bad", `${message}.`)}<p>${
      ui.linkButton(["Try again", `${SECURITY_PATH}/passkey`], "main")
    }${ui.linkButton(["Cancel", SECURITY_PATH])}</p>`,
  };
}
