/** Ends the session. */
import { POST as logout } from "#routes/api/auth/logout.ts";
import { deed } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Sign out by a button",
  async act({ ask }) {
    const { cookie } = await ask(logout);
    return { to: "/sign-in", cookie, headers: { "clear-site-data": '"cache"' } }; // pages that were kept to go back to
  },
});
