/**
 * What is done after the answer when somebody has forgotten a password or signs up: see lib/domains/auth, which says
 * why.
 */
import { answerForgotten, FORGOTTEN } from "#lib/domains/auth/forgot.ts";
import { answerSignup, SIGNUP, type WaitingSignup } from "#lib/domains/auth/signup.ts";
import type { Handler } from "#lib/scheduler/handler.ts";

export function forgottenPassword(): Handler {
  return {
    kind: FORGOTTEN,
    steps: {
      answer: ({ job, write }) => write((tx) => answerForgotten(tx, job.asker, String(job.payload.email))),
    },
  };
}

export function signup(): Handler {
  return {
    kind: SIGNUP,
    steps: {
      answer: ({ job, write }) => write((tx) => answerSignup(tx, job.asker, job.id, job.payload as WaitingSignup)),
    },
  };
}
