import { noTags } from '../domain/tags.ts';
import type { CallContext } from './context.ts';
import { FoundSeries, type SeriesSink } from './found-series.ts';
import { histogramQuantile } from './histogram.ts';
import { joinLabels, replaceLabel } from './label-functions.ts';
import { type Labels, nameLabel, withLabel, withoutName } from './labels.ts';
import { badData, cannotEvaluate } from './query-error.ts';
import { isRangeFunction, ofWindows } from './range-functions.ts';
import { type Ranged, rangeOf } from './ranges.ts';
import { compareNumbers } from './sums.ts';
import { type Call, type Expression, unwrapped } from './syntax.ts';
import { valueFunctions } from './value-functions.ts';
import {
  bytesOf,
  emptySeries,
  type Grid,
  merged,
  type Samples,
  type Series,
  sameLabels,
  timeAt,
  type Value,
} from './values.ts';
import { overWindows } from './windows.ts';

/** The value of a call of a function. */
export async function callFunction(call: Call, grid: Grid, context: CallContext): Promise<Value> {
  const { name, args } = call;
  if (isRangeFunction(name)) {
    const found = new FoundSeries(grid, context.budget);
    await overRange(call, grid, context, found);
    return vector(found.inOrder());
  }
  if (valueFunctions.has(name)) return vector(await eachValue(call, grid, context));
  const rest = others[name];
  if (rest === undefined) throw badData(`unknown function with name ${JSON.stringify(name)}`);
  return rest(args, grid, context);
}

const presence = ofWindows(
  'present_over_time',
  () => [],
  () => 0,
);

type CallOf = (args: readonly Expression[], grid: Grid, context: CallContext) => Promise<Value>;

const others: Readonly<Record<string, CallOf>> = {
  time: async (_args, grid) => scalar(grid, (i) => timeAt(grid, i) / 1000),
  pi: async (_args, grid) => scalar(grid, () => Math.PI),
  async scalar([arg], grid, context) {
    const series = await vectorOf(arg, grid, context);
    return scalar(grid, (i) => {
      const there = series.filter(({ present }) => present[i] === 1);
      return there.length === 1 ? there[0]!.values[i]! : Number.NaN;
    });
  },
  async vector([arg], grid, context) {
    const values = await numbersOf(arg, grid, context);
    return vector([{ labels: noTags, values, present: new Uint8Array(grid.count).fill(1) }]);
  },
  async absent([arg], grid, context) {
    const series = await vectorOf(arg, grid, context);
    return vector(
      absence(
        series.map(({ present }) => present),
        labelsOfAbsence(arg!),
        grid,
      ),
    );
  },
  async absent_over_time([arg], grid, context) {
    const { windows, each } = rangeOf(arg!, grid, context);
    const { budget } = context;
    const present: Uint8Array[] = [];
    await each((samples) => {
      budget.take(bytesOf(1, grid));
      const series = emptySeries(samples.labels, grid.count);
      present.push(series.present);
      return overWindows(samples, windows, presence, series, budget);
    });
    return vector(absence(present, labelsOfAbsence(arg!), grid));
  },
  async timestamp([arg], grid, context) {
    const direct = unwrapped(arg!);
    let series: readonly Series[];
    if (direct.type === 'vector') {
      const found = new FoundSeries(grid, context.budget);
      await context.lastSamples(direct, grid, true, found);
      series = found.inOrder();
    } else {
      const values = Float64Array.from({ length: grid.count }, (_, i) => timeAt(grid, i) / 1000);
      series = (await vectorOf(arg, grid, context)).map((one) => ({ ...one, values }));
    }
    return vector(merged(series.map((one) => ({ ...one, labels: withoutName(one.labels) }))));
  },
  sort: async ([arg], grid, context) => vector(sorted(await vectorOf(arg, grid, context), 1)),
  sort_desc: async ([arg], grid, context) => vector(sorted(await vectorOf(arg, grid, context), -1)),
  async label_replace([arg, ...texts], grid, context) {
    const series = await vectorOf(arg, grid, context);
    return vector(replaceLabel(series, await textsOf(texts, grid, context), context.budget));
  },
  async label_join([arg, ...texts], grid, context) {
    const series = await vectorOf(arg, grid, context);
    return vector(joinLabels(series, await textsOf(texts, grid, context), context.budget));
  },
  async histogram_quantile([quantile, arg], grid, context) {
    const quantiles = await numbersOf(quantile, grid, context);
    return vector(histogramQuantile(await vectorOf(arg, grid, context), quantiles));
  },
};

function vector(series: readonly Series[]): Value {
  return { type: 'vector', series };
}

function scalar({ count }: Grid, of: (step: number) => number): Value {
  return { type: 'scalar', values: Float64Array.from({ length: count }, (_, i) => of(i)) };
}

async function vectorOf(
  arg: Expression | undefined,
  grid: Grid,
  context: CallContext,
): Promise<readonly Series[]> {
  const value = await context.evaluate(arg!, grid, context);
  if (value.type !== 'vector') throw new Error(`a ${value.type} is no vector`);
  return value.series;
}

async function numbersOf(
  arg: Expression | undefined,
  grid: Grid,
  context: CallContext,
): Promise<Float64Array> {
  const value = await context.evaluate(arg!, grid, context);
  if (value.type !== 'scalar') throw new Error(`a ${value.type} is no scalar`);
  return value.values;
}

async function textsOf(args: readonly Expression[], grid: Grid, context: CallContext): Promise<string[]> {
  const texts: string[] = [];
  for (const arg of args) {
    const value = await context.evaluate(arg, grid, context);
    if (value.type === 'string') texts.push(value.text);
  }
  return texts;
}

/** NaN comes last either way. */
function sorted(all: readonly Series[], sign: 1 | -1): Series[] {
  const last = (series: Series): number => series.values.at(-1)!;
  return [...all].sort((one, other) => {
    const [a, b] = [last(one), last(other)];
    return Number.isNaN(a) || Number.isNaN(b) ? compareNumbers(b, a) : sign * compareNumbers(a, b);
  });
}

/** 1 where none of the series has a value. */
function absence(all: readonly Uint8Array[], labels: Labels, { count }: Grid): Series[] {
  const result = emptySeries(labels, count);
  result.values.fill(1);
  for (let i = 0; i < count; i++) result.present[i] = all.some((present) => present[i] === 1) ? 0 : 1;
  return merged([result]);
}

/** What the selector says the labels would be: those with one value, said once. */
function labelsOfAbsence(given: Expression): Labels {
  const arg = unwrapped(given);
  if (arg.type !== 'vector' && arg.type !== 'matrix') return noTags;
  const { matchers } = arg.type === 'matrix' ? arg.selector : arg;
  const said = new Set<string>();
  let labels: Labels = noTags;
  for (const { name, operator, value } of matchers) {
    if (name === nameLabel) continue;
    const isFirst = operator === '=' && !said.has(name);
    labels = withLabel(labels, name, isFirst ? value : '');
    if (isFirst) said.add(name);
  }
  return labels;
}

async function eachValue({ name, args }: Call, grid: Grid, context: CallContext): Promise<Series[]> {
  const of = valueFunctions.get(name)!;
  const [arg, ...rest] = args;
  const numbers: Float64Array[] = [];
  for (const one of rest) numbers.push(await numbersOf(one, grid, context));
  const all =
    arg === undefined
      ? [
          {
            labels: noTags,
            values: Float64Array.from({ length: grid.count }, (_, i) => timeAt(grid, i) / 1000),
            present: new Uint8Array(grid.count).fill(1),
          },
        ]
      : await vectorOf(arg, grid, context);
  const results: Series[] = [];
  for (const { labels, values, present } of all) {
    const result = emptySeries(withoutName(labels), grid.count);
    for (let i = 0; i < grid.count; i++) {
      if (present[i] === 0) continue;
      const own = numbers.map((given) => given[i]!);
      // Between bounds of which the lower one is above there is nothing.
      if (name === 'clamp' && own[1]! < own[0]!) continue;
      result.present[i] = 1;
      result.values[i] = of(values[i]!, own);
    }
    results.push(result);
    const turn = context.budget.work(4 * grid.count);
    if (turn !== undefined) await turn;
  }
  return merged(results);
}

/** Gives the series of a function of a range to `found`, each as soon as it is calculated. */
export async function overRange(
  { name, args }: Call,
  grid: Grid,
  context: CallContext,
  found: SeriesSink,
): Promise<void> {
  const numbers: Float64Array[] = [];
  let ranged: Ranged | undefined;
  for (const arg of args) {
    const inner = unwrapped(arg);
    if (inner.type === 'matrix' || inner.type === 'subquery') ranged = rangeOf(inner, grid, context);
    else numbers.push(await numbersOf(arg, grid, context));
  }
  const { windows, each } = ranged!;
  const none: readonly number[] = [];
  const ownNumbers = numbers.length === 0 ? () => none : (i: number) => numbers.map((given) => given[i]!);
  const of = ofWindows(name, ownNumbers, (i) => timeAt(grid, i));
  const { budget } = context;
  const known = new Set<string>();
  const end = (series: Series, { labels }: Samples): void => {
    if (!found.end(series, labels)) return;
    const { key } = series.labels;
    if (known.has(key)) throw cannotEvaluate(sameLabels);
    known.add(key);
  };
  await each((samples) => {
    const labels = name === 'last_over_time' ? samples.labels : withoutName(samples.labels);
    const series = found.begin(labels);
    const working = overWindows(samples, windows, of, series, budget);
    if (working !== undefined) return working.then(() => end(series, samples));
    end(series, samples);
    return undefined;
  });
}
