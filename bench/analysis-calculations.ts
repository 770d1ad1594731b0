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
  /** At most this many times the cost of the operands by values. */
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

/**
 * Aggregates of expressions beside those of their operands, in turns on one connection: as they are stored, where sums are
 * added without a look at each value, and with nothing known of them but their values, as an expression sees them.
 */
export async function benchCalculations(directory: string, scale: number, runs: number): Promise<void> {
  const system = await startPitwall(directory);
  try {
    await loadInto(system, makeQueryData(Math.max(10, Math.round(1000 * scale))), directory);
    const connection = await openConnection(system.port);
    const timed = async (request: Buffer): Promise<number> => {
      const start = performance.now();
      await connection.send(request);
      return performance.now() - start;
    };
    const table = [
      ['mean by minutes', 'ms', 'operands by values, ms', 'ratio', 'operands, ms', 'ratio', 'wanted at most'],
    ];
    for (const pair of pairs) {
      const taken: { readonly own: number; readonly byValues: number; readonly operands: number }[] = [];
      // The first two warm the code.
      for (let run = -2; run < runs; run++) {
        const own = await timed(calculated(pair));
        const byValues = await timed(byValuesOf(pair));
        const operands = await timed(operandsOf(pair));
        if (run >= 0) taken.push({ own, byValues, operands });
      }
      table.push([
        pair.name,
        show(median(taken.map(({ own }) => own))),
        show(median(taken.map(({ byValues }) => byValues))),
        show(median(taken.map(({ own, byValues }) => own / byValues))),
        show(median(taken.map(({ operands }) => operands))),
        show(median(taken.map(({ own, operands }) => own / operands))),
        String(pair.aim),
      ]);
    }
    connection.close();
    printTable(table);
  } finally {
    await system.stop();
  }
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

/** Each operand as an expression: what is known of its frames is of no use then. */
function byValuesOf(pair: Pair): Buffer {
  return pitwallQuery({
    ...common(pair),
    calculatedParameters: ten.slice(0, pair.operands).map((expression, i) => ({
      name: `operand ${i}`,
      expression,
      aggregationType: 'Mean',
    })),
  });
}

function operandsOf(pair: Pair): Buffer {
  const names = ten.slice(0, pair.operands);
  return pitwallQuery({
    ...common(pair),
    numericParameters: names.map((parameterName) => ({ parameterName, aggregationType: 'Mean' })),
  });
}
