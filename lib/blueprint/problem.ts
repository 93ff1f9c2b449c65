/** What is wrong with a blueprint, in one message that names the file: found at the start, never while a spoke is made. */
export class BlueprintError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : `The blueprint has ${problems.length} problems:\n- ${problems.join("\n- ")}`);
    this.name = "BlueprintError";
  }
}
