/** The steps that tell what is usual. */
const sampledSteps = 1001;

/** The usual step from time to time, ns: the middle one of the first steps. */
export class UsualStep {
  private readonly steps: number[] = [];
  private usual = 0n;
  private usualOf = 0;

  see(step: bigint): void {
    if (this.steps.length < sampledSteps) this.steps.push(Number(step));
  }

  /** 0 before there is a step. */
  get(): bigint {
    const { length } = this.steps;
    if (this.usualOf === length) return this.usual;
    const ordered = this.steps.toSorted((one, other) => one - other);
    this.usual = BigInt(Math.round(ordered[length >> 1]!));
    this.usualOf = length;
    return this.usual;
  }
}
