/** One endpoint, two answers: the handler's value says which of the two replies it is for. */
import type { Reply } from "#lib/surface/http/reply.ts";

type Either<A, B> = { readonly usual: A } | { readonly other: B };

/** Their statuses must differ: by them the documents tell the two apart. */
export function either<A, B>(usual: Reply<A>, other: Reply<B>): Reply<Either<A, B>> {
  return {
    ...usual,
    also: other,
    send: (value, answering) =>
      "usual" in value ? usual.send(value.usual, answering) : other.send(value.other, answering),
  };
}
