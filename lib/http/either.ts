/** One endpoint, two answers: the handler's value says which of the two replies it is for. */
import type { Reply } from "#lib/http/reply.ts";

export type Either<A, B> = { readonly usual: A } | { readonly other: B };

/** The documents show the usual one. */
export function either<A, B>(usual: Reply<A>, other: Reply<B>): Reply<Either<A, B>> {
  return {
    ...usual,
    send: (value, answering) =>
      "usual" in value ? usual.send(value.usual, answering) : other.send(value.other, answering),
  };
}
