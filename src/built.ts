/** What the build puts into the executable; in the source checkout there is nothing of the kind. */

export interface Built {
  readonly version: string;
  readonly commit: string;
  /** The licences of everything that the executable is made of. */
  readonly licenses: string;
}

/** Declared by the first line of the bundle alone, which src/build/bundle.ts writes. */
declare const WHEELWRIGHT_BUILT: Built | undefined;

/** Null where the program runs from its sources. */
export function built(): Built | null {
  return typeof WHEELWRIGHT_BUILT === "undefined" ? null : WHEELWRIGHT_BUILT;
}
