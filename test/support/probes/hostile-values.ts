/** Lists hostile values that callers may send. Each has a name, which a failed test shows. */

export interface HostileValue {
  readonly name: string;
  readonly value: unknown;
  /** The value as JSON text, because JSON.stringify cannot produce all of these values. */
  readonly json: string;
  /** Which fields may accept the value: none, only passwords (which accept any text), or every field whose rule
   * allows it. */
  readonly for: "nobody" | "passwords" | "anybody";
}

const text = (name: string, value: string, who: HostileValue["for"] = "anybody"): HostileValue => ({
  name,
  value,
  json: JSON.stringify(value),
  for: who,
});

/** Texts that cannot be stored or forwarded, or that could harm a terminal or a log. */
const UNSAFE: readonly HostileValue[] = [
  text("a NUL", "a\u0000b", "nobody"),
  text("a NUL alone", "\u0000", "nobody"),
  text("a high surrogate alone", "a\ud800", "nobody"),
  text("a low surrogate alone", "\udfffb", "nobody"),
  text("surrogates the wrong way round", "\ude00\ud83d", "nobody"),
  text("an escape sequence", "\u001b[31mred", "passwords"),
  text("a bell", "a\u0007", "passwords"),
  text("DEL", "a\u007fb", "passwords"),
  text("a C1 control", "a\u0085b", "passwords"),
  text("CR LF and a header", "a\r\nX-Evil: 1", "passwords"),
  text("more than anybody needs", "x".repeat(50_000), "nobody"),
  text("more than anybody needs, of four bytes each", "🎓".repeat(20_000), "nobody"),
];

/** Texts that have a special meaning where they are used later, for example in SQL or HTML. */
const TEXTS: readonly HostileValue[] = [
  text("nothing", ""),
  text("a blank", " "),
  text("blanks of all kinds", " \t\n\u00a0\u2003\u3000"),
  text("a leading and a trailing blank", " oak "),
  text("a prototype key", "__proto__"),
  text("a prototype key", "constructor"),
  text("a prototype key", "toString"),
  text("a prototype key", "hasOwnProperty"),
  text("YAML: another document", "one\ntwo: three\n---\nkind: Secret"),
  text("YAML: a tag, an anchor, an alias", "!!js/function &a *a"),
  text("YAML: a flow", '"}, kind: Secret, data: {a: "'),
  text("YAML: nothing", "~"),
  text("YAML: a block", "|\n  a\n\tb"),
  text("a word that is a value", "null"),
  text("a word that is a value", "true"),
  text("a word that is a value", "NaN"),
  text("a number", "1e3"),
  text("a number", "0x10"),
  text("a number", "9007199254740993"),
  text("a placeholder of ours", "${DATABASE_PASSWORD} $${HOST} $& $1 $'"),
  text("a placeholder of Kubernetes", "$(DB_PASS) $$(ADMIN_PASSWORD)"),
  text("a shell's", "`reboot` && $(reboot) | tee; * > /dev/null #"),
  text("SQL's", "'; drop table spokes; --"),
  text("SQL's", "\\'; commit; %_\\"),
  text("a template's", "{{ .Values }} <%= 1 %> <?php exec('x'); ?>"),
  text("HTML's", "<script>alert(1)</script><!-- &lt; \"' -->"),
  text("a way out", "../../etc/passwd"),
  text("a way out, encoded", "..%2f..%2f%00"),
  text("a format's", "%s %n %d {0} \\u0000 \\n"),
  text("a spreadsheet's", '=HYPERLINK("http://evil.example")'),
  text("from right to left", "\u202eevil\u202c שלום"),
  text("combining", "Z\u0351\u036b\u0343a\u0300l\u0334g\u0335o"),
  text("a family", "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 é ﬁ"),
  text("invisible", "\ufeff\u200b\u2060\u00ad\u2028\u2029"),
  text("outside of the first plane, and what is no character", "𝒳\u{10ffff}\uffff\ufffe"),
];

const other = (name: string, json: string, who: HostileValue["for"] = "anybody"): HostileValue => ({
  name,
  value: JSON.parse(json),
  json,
  for: who,
});

/** Values that are not texts. */
const KINDS: readonly HostileValue[] = [
  ...["0", "-0", "1", "-1", "1.5", "1e999", "-1e999", "1e-999", "9007199254740993", "1e308"].map((n) =>
    other(`the number ${n}`, n)
  ),
  other("true", "true"),
  other("false", "false"),
  other("null", "null"),
  other("a list", "[]"),
  other("a list of nothing", "[null]"),
  other("a list of lists", "[[],[[]]]"),
  other("an object", "{}", "nobody"),
  other(
    "an object that would be a prototype",
    '{"__proto__":{"operator":true},"constructor":{"prototype":{}}}',
    "nobody",
  ),
  other("an object that would be text", '{"toString":"x","length":3,"toJSON":1}', "nobody"),
  other("a deep list", "[".repeat(5_000) + "]".repeat(5_000), "nobody"),
  other("a deep object", '{"a":'.repeat(5_000) + "1" + "}".repeat(5_000), "nobody"),
];

/** Values to send in the fields of a request body. */
export const HOSTILE_VALUES: readonly HostileValue[] = [...UNSAFE, ...TEXTS, ...KINDS];
/** Values to send in a query or a path, which can only be texts. */
export const HOSTILE_TEXTS: readonly HostileValue[] = [...UNSAFE, ...TEXTS].filter(({ value }) =>
  (value as string).isWellFormed()
);

/** Texts that every free-text field must accept and return unchanged. */
export const STRANGE_TEXTS: readonly string[] = TEXTS.map(({ value }) => value as string).filter((value) =>
  value !== ""
);

/** Values keyed by the rule in a field's error message: nearly valid ones to reject, and the longest to accept. */
export const VALUES_BY_RULE: readonly {
  readonly says: RegExp;
  readonly bad: readonly string[];
  readonly good: readonly string[];
}[] = [
  {
    says: /^must be 1 to 63 lower-case letters/,
    bad: ["", "Oak", "-oak", "oak-", "o_k", "o.k", "o k", "ök", "oak\n", "oak\u0000", "a".repeat(64), "\u212aelvin"],
    good: ["a", "a".repeat(63), "0", "a--b"],
  },
  {
    says: /^must be an email address/,
    bad: [
      ...["", "a", "a@", "@b.example", "a b@c.example", "a@b..example", "<a@b.example>", "a@b.example,c@d.example"],
      ...["a@b.example\nBcc: c@d.example", "a@b.example\u0000", '"a"@b.example', "a@b.example;", "a:b@c.example"],
      ...[`${"a".repeat(65)}@b.example`, `a@${"b".repeat(241)}.example.org`, "a@\ud800.example", "(a)@b.example"],
    ],
    good: [
      "a@localhost",
      "ADA@Example.ORG",
      " ada@example.org ",
      `${"a".repeat(64)}@b.example`,
      `a@${`${"b".repeat(63)}.`.repeat(3)}${"b".repeat(56)}.org`,
    ],
  },
  {
    says: /^must be a host name/,
    bad: [
      ...[
        "",
        "localhost",
        "a..example",
        ".a.example",
        "a.example.",
        "1.2.3.4",
        "a b.example",
        "*.a.example",
        "a_b.example",
      ],
      ...[
        "http://a.example",
        "a.example/",
        "a.example:80",
        "bücher.example",
        "-a.example",
        "a-.example",
        "a.example\n",
      ],
      ...[`${"a".repeat(64)}.example`, `${"a.".repeat(126)}ab`, "\u212a.example"],
    ],
    good: ["a.example", "A.Example", `${"a".repeat(63)}.example`, `${"a.".repeat(126)}a`],
  },
  {
    says: /^must be an ISO 8601 timestamp/,
    bad: [
      "",
      "tomorrow",
      "2030-01-01",
      "2030-01-01T00:00:00",
      "2030-13-01T00:00:00Z",
      "+012030-01-01T00:00:00Z",
      "0000-01-01T00:00:00Z",
      "9999-12-31T23:59:59-12:00",
      "1900000000000",
    ],
    good: ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00.123+01:00", "9999-12-31T00:00:00Z"],
  },
  {
    says: /^must be true or false/,
    bad: ["yes", "on", "TRUE", "", "2", "truefalse"],
    good: [],
  },
  {
    says: /^must be an event number/,
    bad: ["", "-1", "1.5", "1e3", "9".repeat(16), "0x1", " 1"],
    good: ["0", "1", "9".repeat(15)],
  },
];
