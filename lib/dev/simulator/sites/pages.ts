/** Renders the pages of simulated sites. */

export interface SitePageHeading {
  readonly title: string;
}

interface PasswordForm {
  /** The name of the Moodle account for which the user sets a password. */
  readonly name: string;
  readonly token: string;
  readonly problem: string | null;
}

export const SITE_PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const STYLE =
  ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;" +
  "padding:0 1rem}label{display:block;margin:1rem 0}input{display:block;width:100%;box-sizing:border-box;font:inherit;" +
  "padding:.4rem}button{font:inherit;padding:.4rem 1rem}footer{margin-top:3rem;border-top:1px solid;padding-top:1rem}";

export function renderMessagePage(heading: SitePageHeading, title: string, text: string): string {
  return renderSitePage(heading, title, `<p>${escapeHtml(text)}</p>`);
}

/** Renders the form for a new password, which a user sees after opening a sign-in link. */
export function renderPasswordForm(heading: SitePageHeading, { name, token, problem }: PasswordForm): string {
  const field = (id: string, label: string) =>
    `<label>${label}<input type="password" name="${id}" autocomplete="new-password" required minlength="8"></label>`;
  return renderSitePage(
    heading,
    "Set a password",
    `<p>Choose a password for the account ${escapeHtml(name)}. You are then signed in.</p>` +
      (problem === null ? "" : `<p role="alert"><strong>${escapeHtml(problem)}</strong></p>`) +
      `<form method="post" action="/login/forgot_password.php">` +
      `<input type="hidden" name="token" value="${escapeHtml(token)}">` +
      field("password", "New password") + field("password2", "New password (again)") +
      "<button>Save changes</button></form>",
  );
}

/** Renders a page with this title and content, which is HTML. */
export function renderSitePage({ title: site }: SitePageHeading, title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">` +
    `<title>${escapeHtml(title)} – ${escapeHtml(site)}</title><style>${STYLE}</style></head><body>` +
    `<header><strong>${escapeHtml(site)}</strong></header><main><h1>${escapeHtml(title)}</h1>${content}</main>` +
    "<footer><p>This site is simulated: no Moodle runs here. To install real sites, start Wheelwright with " +
    "<code>npm start -- --kubeconfig FILE</code>.</p></footer></body></html>\n";
}

export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
