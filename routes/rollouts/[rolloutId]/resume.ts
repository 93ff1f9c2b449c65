import { POST as resume } from "#routes/api/rollouts/[rolloutId]/resume.ts";
import { dropEmptyFields, formAction, formSchema } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Continue a paused rollout",
  body: formSchema("failed"),
  async submit({ callApi, body }) {
    const { id } = await callApi(resume, { body: dropEmptyFields(body) });
    return { to: `/rollouts/${id}?done=rollout-resume` };
  },
});
