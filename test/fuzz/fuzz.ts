import { createRandom } from './random.ts';
import { shrink } from './shrink.ts';
import type { Target } from './target.ts';

export interface FuzzRun {
  readonly seed: number;
  /** Whether to go on after so many inputs. Asked now and then. */
  readonly goOn: (inputs: number) => boolean;
}

export interface FuzzCounts {
  readonly inputs: number;
  readonly bytes: number;
}

/** How many inputs are tried between two looks at the clock. */
const atATime = 100;

/**
 * Tries inputs until it may not go on. Throws at the first one that breaks the claim, with its smallest form and
 * with the seed that has it as its first input.
 */
export async function fuzz(target: Target, { seed, goOn }: FuzzRun): Promise<FuzzCounts> {
  const random = createRandom(seed);
  let inputs = 0;
  let bytes = 0;
  // Readers refuse most inputs, and the trace of each refusal would take most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    while (goOn(inputs)) {
      for (let i = 0; i < atATime; i++) {
        random.seed(seed + inputs);
        const input = target.make(random);
        try {
          const checking = target.check(input);
          if (checking !== undefined) await checking;
        } catch (error) {
          throw await failureOf(target, Buffer.from(input), error, seed + inputs);
        }
        inputs++;
        bytes += input.length;
      }
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return { inputs, bytes };
}

async function failureOf(target: Target, input: Buffer, error: unknown, seed: number): Promise<Error> {
  Error.stackTraceLimit = 10;
  const smallest = await shrink(input, async (candidate) => (await faultOf(target, candidate)) !== undefined);
  const fault = (await faultOf(target, smallest)) ?? error;
  const again = `npm run test:fuzz -- --only ${target.name} --seed ${seed >>> 0} --seconds 1`;
  const message = [
    `${target.name}: ${fault instanceof Error ? fault.message : String(fault)}`,
    `the smallest input, ${smallest.length} of ${input.length} bytes:`,
    `  ${JSON.stringify(smallest.toString('latin1', 0, 2000))}`,
    `  base64 ${smallest.toString('base64').slice(0, 4000)}`,
    again,
  ];
  return new Error(message.join('\n'), { cause: fault });
}

async function faultOf(target: Target, input: Buffer): Promise<unknown> {
  try {
    await target.check(input);
    return undefined;
  } catch (error) {
    return error;
  }
}
