/**
 * Makes the passkey buttons work: asks the browser to create or use a passkey, and submits its response with the form.
 * The buttons are hidden without this script and in browsers without passkeys.
 */
import { findElements } from "#lib/reference/browser/elements.ts";

/** Fetches the options with which the browser uses a passkey, for a sign-in, a second factor or a confirmation. */
async function fetchOptions(purpose: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const response = await fetch("/api/auth/passkey-options", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ for: purpose }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.message}.`);
  return answer;
}

async function askBrowser({ passkey: purpose, options }: DOMStringMap): Promise<Credential | null> {
  if (options) {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
    return await navigator.credentials.create({ publicKey });
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await fetchOptions(purpose!));
  return await navigator.credentials.get({ publicKey });
}

/** Returns the parts of the response that the server accepts. */
function selectParts({ id, response }: RegistrationResponseJSON | AuthenticationResponseJSON) {
  const { clientDataJSON } = response;
  if ("signature" in response) {
    const { authenticatorData, signature } = response;
    return { id, response: { clientDataJSON, authenticatorData, signature } };
  }
  return { id, response: { clientDataJSON, attestationObject: response.attestationObject } };
}

async function submitPasskey(form: HTMLFormElement, status: HTMLElement): Promise<void> {
  status.hidden = true;
  try {
    const credential = await askBrowser(form.dataset) as PublicKeyCredential;
    form.querySelector<HTMLInputElement>("[data-response]")!.value = JSON.stringify(selectParts(credential.toJSON()));
    form.submit();
  } catch (error) {
    const isCancelled = error instanceof DOMException;
    status.textContent = isCancelled ? "The passkey was not used. Try again." : (error as Error).message;
    status.hidden = false;
  }
}

// Safari and Firefox have these functions since 2024 and 2025. Older browsers show no buttons.
if (globalThis.PublicKeyCredential && "parseRequestOptionsFromJSON" in PublicKeyCredential) {
  for (const form of findElements<HTMLFormElement>("form[data-passkey]")) {
    const status = form.querySelector<HTMLElement>("[data-status]")!;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void submitPasskey(form, status);
    });
    for (const notice of findElements("[data-no-passkeys]")) notice.hidden = true;
  }
}
