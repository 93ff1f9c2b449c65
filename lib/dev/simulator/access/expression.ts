/**
 * Evaluates the expressions in admission policies, which use CEL (Common Expression Language). Supports comparisons of
 * fields, labels and lists. Throws an error for any other syntax, so that no policy is silently ignored.
 */
import { isRecord, isSameJson, type Json } from "#lib/dev/simulator/store/object.ts";

/** A parsed CEL expression: a function that computes its value from variables. It throws if a field is missing. */
export type CelExpression = (variables: Readonly<Record<string, Json>>) => Json;

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|'[^']*'|\d+|[A-Za-z_]\w*|&&|\|\||==|!=|[!?:().,[\]])/y;

/** Parses a CEL expression into a function. Throws if the expression is invalid or uses unsupported CEL syntax. */
export function parseCelExpression(text: string): CelExpression {
  const tokens: string[] = [];
  for (TOKEN.lastIndex = 0; text.slice(TOKEN.lastIndex).trim() !== "";) {
    const at = TOKEN.lastIndex, [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) {
      throw new Error(`Unexpected text in a CEL expression: ${JSON.stringify(text.slice(at, at + 20))}`);
    }
    tokens.push(token);
  }
  const takeToken = (token: string): boolean => tokens[0] === token && tokens.shift() !== undefined;
  const expectToken = (token: string): void => {
    if (!takeToken(token)) throw new Error(`Expected ${token} in a CEL expression, found ${tokens[0] ?? "the end"}`);
  };
  const expression = parseConditional();
  if (tokens.length > 0) throw new Error(`Expected the end of a CEL expression, found ${tokens[0]}`);
  return expression;

  function parseConditional(): CelExpression {
    const is = parseOr();
    if (!takeToken("?")) return is;
    const then = parseConditional();
    expectToken(":");
    const otherwise = parseConditional();
    return (variables) => is(variables) ? then(variables) : otherwise(variables);
  }

  function parseOr(): CelExpression {
    const one = parseAnd();
    if (!takeToken("||")) return one;
    const other = parseOr();
    return (variables) => one(variables) || other(variables);
  }

  function parseAnd(): CelExpression {
    const one = parseComparison();
    if (!takeToken("&&")) return one;
    const other = parseAnd();
    return (variables) => one(variables) && other(variables);
  }

  function parseComparison(): CelExpression {
    const one = parseNot();
    if (takeToken("==")) return binaryExpression(one, parseNot(), isSameJson);
    if (takeToken("!=")) return binaryExpression(one, parseNot(), (a, b) => !isSameJson(a, b));
    if (takeToken("in")) {
      return binaryExpression(one, parseNot(), (a, b) => Array.isArray(b) ? b.includes(a) : Object.hasOwn(b, a));
    }
    return one;
  }

  function parseNot(): CelExpression {
    if (!takeToken("!")) return parseSelection();
    const one = parseNot();
    return (variables) => !one(variables);
  }

  /** Parses a value with field accesses, such as `a.b[0]`. Calls `last` for each field, to implement `has()`. */
  function parseSelection(last?: (of: CelExpression, name: string) => void): CelExpression {
    let of = parsePrimary();
    for (;;) {
      const operand = of;
      if (takeToken("[")) {
        const key = parseConditional();
        expectToken("]");
        of = binaryExpression(operand, key, readField);
      } else if (takeToken(".")) {
        const name = tokens.shift() ?? "";
        if (!/^[A-Za-z_]/.test(name)) throw new Error("Expected a field name after the dot in a CEL expression");
        if (takeToken("(")) {
          of = parseCall(name, operand);
          expectToken(")");
        } else {
          last?.(operand, name);
          of = (variables) => readField(operand(variables), name);
        }
      } else return of;
    }
  }

  function parseCall(name: string, of: CelExpression): CelExpression {
    if (name === "size") return (variables) => Object.keys(of(variables)).length;
    if (name === "startsWith") return binaryExpression(of, parseConditional(), (text, start) => text.startsWith(start));
    if (name === "all" || name === "exists") {
      const item = tokens.shift() ?? "";
      if (!/^[A-Za-z_]\w*$/.test(item)) {
        throw new Error(`Expected a variable name in a CEL expression, found ${item || "the end"}`);
      }
      expectToken(",");
      const holds = parseConditional();
      return (variables) => {
        const each = (value: Json): boolean => holds({ ...variables, [item]: value });
        return name === "all" ? of(variables).every(each) : of(variables).some(each);
      };
    }
    throw new Error(`The simulator does not support the CEL function ${name}`);
  }

  function parsePrimary(): CelExpression {
    const token = tokens.shift() ?? "";
    if (token === "(") {
      const inner = parseConditional();
      expectToken(")");
      return inner;
    }
    if (token === "has") {
      expectToken("(");
      let field: CelExpression | undefined;
      parseSelection((of, name) => field = (variables) => hasField(of(variables), name));
      expectToken(")");
      if (!field) throw new Error("Expected a field in has() in a CEL expression");
      return field;
    }
    if (token === "[") {
      const items: CelExpression[] = [];
      while (!takeToken("]")) {
        if (items.length > 0) expectToken(",");
        items.push(parseConditional());
      }
      return (variables) => items.map((item) => item(variables));
    }
    if (/^["']/.test(token)) return () => token.slice(1, -1);
    if (/^\d/.test(token)) return () => Number(token);
    if (!/^[A-Za-z_]/.test(token)) throw new Error(`Expected a value in a CEL expression, found ${token || "the end"}`);
    if (token === "true" || token === "false") return () => token === "true";
    return (variables) => readField(variables, token);
  }
}

function binaryExpression(
  one: CelExpression,
  other: CelExpression,
  operator: (a: Json, b: Json) => Json,
): CelExpression {
  return (variables) => operator(one(variables), other(variables));
}

function readField(of: Json, key: string | number): Json {
  const found = Array.isArray(of) ? of[Number(key)] : hasField(of, String(key)) ? of[key] : undefined;
  if (found === undefined) throw new Error(`no such key: ${key}`);
  return found;
}

function hasField(of: Json, name: string): boolean {
  return isRecord(of) && Object.hasOwn(of, name);
}
