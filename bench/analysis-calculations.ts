import { parameterName } from './data.ts';
import { openConnection } from './driver.ts';
import { printTable, show } from './figures.ts';
import { pitwallQuery, startPitwall } from './pitwall.ts';
import { loadInto } from './query.ts';
import { endMs, makeQueryData, startMs } from './query-data.ts';
import { median } from './random.ts';

const minute = 60_000_000_000;
const hourMs = 3_600_000;

interface Pair {
  readonly name: string;
  readonly expression: string;
  /** How many parameters the expression has. */
  readonly operands: number;
  /** Milliseconds before the last row at which the question begins. */
  readonly spanMs: number;
  readonly groupBy?: readonly string[];
  /** At most this many times the cost of the operands. */
  readonly aim: number;
}

const whole = endMs - startMs;
const ten = Array.from({ length: 10 }, (_, i) => parameterName(i));

const pairs: readonly Pair[] = [
  { name: 'p0 / 3.6, an hour', expression: 'p0 / 3.6', operands: 1, spanMs: hourMs, aim: 1.5 },
  {
    name: 'p0 / 3.6, an hour, by stream',
    expression: 'p0 / 3.6',
    operands: 1,
    spanMs: hourMs,
    groupBy: ['streamId'],
    aim: 1.5,
  },
  { name: 'p0 * p1', expression: 'p0 * p1', operands: 2, spanMs: whole, aim: 2 },
  { name: 'p0 + … + p9', expression: ten.join(' + '), operands: 10, spanMs: whole, aim: 2 },
  { name: 'p0 > 50 && p1 < 20', expression: 'p0 > 50 && p1 < 20', operands: 2, spanMs: whole, aim: 2 },
  { name: 'derivative(p0)', expression: 'derivative(p0)', operands: 1, spanMs: whole, aim: 2 },
  { name: 'integral(p0)', expression: 'integral(p0)', operands: 1, spanMs: whole, aim: 2 },
  { name: 'fill(p0)', expression: 'fill(p0)', operands: 1, spanMs: whole, aim: 2 },
  { name: "lowpass(p0, '1m')", expression: "lowpass(p0, '1m')", operands: 1, spanMs: whole, aim: 2 },
  { name: "movingMean(p0, '2m')", expression: "movingMean(p0, '2m')", operands: 1, spanMs: whole, aim: 2 },
  { name: "movingMax(p0, '2m')", expression: "movingMax(p0, '2m')", operands: 1, spanMs: whole, aim: 2 },
];

/** Aggregates of expressions beside those of their operands, in turns on one connection. */
export async function benchCalculations(directory: string, scale: number, runs: number): Promise<void> {
  const system = await startPitwall(directory);
  try {
    await loadInto(system, makeQueryData(Math.max(10, Math.round(1000 * scale))), directory);
    const connection = await openConnection(system.port);
    const timed = async (request: Buffer) => {
      const before = system.cpuSeconds();
      const start = performance.now();
      await connection.send(request);
      return { ms: performance.now() - start, cpuMs: (system.cpuSeconds() - before) * 1000 };
    };
    const table = [['mean by minutes', 'ms', 'operands, ms', 'ratio', 'of processor time', 'wanted at most']];
    for (const pair of pairs) {
      const taken: { readonly own: Cost; readonly operands: Cost }[] = [];
      // The first two warm the code.
      for (let run = -2; run < runs; run++) {
        const own = await timed(calculated(pair));
        const operands = await timed(operandsOf(pair));
        if (run >= 0) taken.push({ own, operands });
      }
      const ratio = (cost: keyof Cost) =>
        median(taken.map(({ own, operands }) => own[cost] / operands[cost]));
      table.push([
        pair.name,
        show(median(taken.map(({ own }) => own.ms))),
        show(median(taken.map(({ operands }) => operands.ms))),
        show(ratio('ms')),
        show(ratio('cpuMs')),
        String(pair.aim),
      ]);
    }
    connection.close();
    printTable(table);
  } finally {
    await system.stop();
  }
}

interface Cost {
  readonly ms: number;
  /** Of processor time; the kernel tells hundredths of a second. */
  readonly cpuMs: number;
}

function common({ spanMs, groupBy }: Pair): object {
  return {
    from: Number(`${endMs - spanMs}000000`),
    groupByTime: { timeBucketDuration: minute },
    ...(groupBy !== undefined && { groupBy }),
  };
}

function calculated(pair: Pair): Buffer {
  const { expression } = pair;
  return pitwallQuery({
    ...common(pair),
    calculatedParameters: [{ name: 'calculated', expression, aggregationType: 'Mean' }],
  });
}

function operandsOf(pair: Pair): Buffer {
  const names = ten.slice(0, pair.operands);
  return pitwallQuery({
    ...common(pair),
    numericParameters: names.map((parameterName) => ({ parameterName, aggregationType: 'Mean' })),
  });
}
