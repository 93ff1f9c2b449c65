import { POST as logout } from "#routes/api/auth/logout.ts";
import { GET as getSessions } from "#routes/api/auth/sessions/index.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Sign out",
  duringEnrolment: true,
  async submit({ callApi }) {
    const session = (await callApi(getSessions)).find(({ current }) => current), { cookie } = await callApi(logout);
    const to = session?.provider ? `/signed-out?provider=${session.provider}` : "/sign-in";
    return { to, cookie, headers: { "clear-site-data": '"cache"' } }; // clears the Back button's cache
  },
});
