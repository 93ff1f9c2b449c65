import { POST as logout } from "#routes/api/auth/logout.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Sign out",
  duringEnrolment: true,
  async submit({ callApi }) {
    const { cookie } = await callApi(logout);
    return { to: "/sign-in", cookie, headers: { "clear-site-data": '"cache"' } }; // clears the Back button's cache
  },
});
