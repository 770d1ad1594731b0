import { type Random, seededRandom } from './store/embedded/random.ts';

/** What a round may do next. */
export interface Step<World> {
  readonly name: string;
  /** How often it is taken, beside the others. */
  readonly weight: number;
  run(world: World, random: Random): Promise<void>;
}

/** The draws of one step, whatever others drew before it: so a round goes the same way where steps are left out. */
export function randomOf(seed: number, step: number): Random {
  return seededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b));
}

/** @param chance from 0 to just below 1 */
export function chooseStep<World>(steps: readonly Step<World>[], chance: number): Step<World> {
  const total = steps.reduce((sum, { weight }) => sum + weight, 0);
  let left = chance * total;
  for (const step of steps) {
    if (left < step.weight) return step;
    left -= step.weight;
  }
  return steps[0]!;
}
