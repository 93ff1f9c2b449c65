/** Defines the type of entries in the glossary of API fields, and the IDs that all examples use. */

/** The description of an API field, and an example value if the field's schema cannot provide an example. */
export type GlossaryEntry = readonly [description: string, example?: unknown];

/**
 * Glossary entries by field name, or by `owner.name` if a field has another meaning inside the schema or field `owner`.
 * The key `owner.` contains an example of the whole schema. An entry can have several keys, such as `a | b.c`.
 * A string is a description without an example.
 */
export type GlossaryEntriesByField = Readonly<Record<string, string | GlossaryEntry>>;

export const EXAMPLE_IDS = {
  hub: "fed_06fj2c4v7tq0w1x9n3m8k5r2dg",
  spoke: "spk_06fj2c6b1hz4e8s7y2p5t9w3ka",
  user: "usr_06fj2bx9q3n6m1v8c4d7r5z2je",
  operation: "op_06fj2c6b5wk9d3f7x1t8q4n2ms",
  event: "evt_06fj2c6b7r2y5b9g4h1j8v3zxp",
  backup: "bak_06fj2c9w4m8r1y6t3v7q5z2nbe",
} as const;
