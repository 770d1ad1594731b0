import type { Random } from '../fuzz/random.ts';

const names = [
  'up',
  'http_requests_total',
  'cpu_seconds_total',
  'temperature_celsius',
  'latency_seconds_bucket',
  'flapping',
  'sparse',
  'odd',
  'build_info',
  'memory_bytes',
  'once',
  'fast',
  'labelled',
  'job:requests:rate5m',
];
const labels = ['job', 'instance', 'code', 'method', 'cpu', 'mode', 'sensor', 'kind', 'version', 'le'];
const values = [
  'node',
  'api',
  'gap',
  'n1',
  'n2',
  'GET',
  '200',
  '404',
  '0',
  'user',
  'air',
  'mixed',
  '1.0.0',
  '0.5',
  '',
];
const patterns = ['n.*', '.+', '.*', 'a:80|b:80', '2..|5..', '[a-m].*', 'nan|up|zero', 'air|oil', 'no such'];
const durations = ['15s', '30s', '45s', '1m', '90s', '3m', '5m', '7m13s', '10m', '30m', '1h'];
const simple =
  'abs ceil floor round exp ln log2 log10 sqrt sgn sin cos atan tanh deg rad timestamp hour minute day_of_week sort sort_desc absent'.split(
    ' ',
  );
const overRange =
  'rate irate increase delta idelta deriv changes resets avg_over_time min_over_time max_over_time sum_over_time count_over_time last_over_time present_over_time stddev_over_time stdvar_over_time absent_over_time'.split(
    ' ',
  );
const folds = 'sum avg min max count group stddev stdvar'.split(' ');

/** A query of a grammar, which has a value more often than not. */
export function randomQuery(random: Random, depth = 3): string {
  return vector(random, depth);
}

function vector(random: Random, depth: number): string {
  if (depth === 0) return selector(random);
  const inner = () => vector(random, depth - 1);
  switch (random.below(12)) {
    case 0:
    case 1:
      return selector(random);
    case 2:
      return `${random.pick(simple)}(${inner()})`;
    case 3:
    case 4:
      return `${random.pick(overRange)}(${range(random, depth - 1)})`;
    case 5:
      return `${random.pick(folds)}${grouping(random)} (${inner()})`;
    case 6:
      return `${random.pick(['topk', 'bottomk'])}${grouping(random)} (${random.below(5)}, ${inner()})`;
    case 7:
      return binary(random, depth);
    case 8:
      return random.pick([
        () => `quantile${grouping(random)} (${number(random)}, ${inner()})`,
        () => `count_values${grouping(random)} ("v", ${inner()})`,
        () =>
          `histogram_quantile(0.${random.below(10)}, ${random.below(2) === 0 ? 'latency_seconds_bucket' : inner()})`,
        () => `quantile_over_time(0.${random.below(10)}, ${range(random, depth - 1)})`,
        () => `predict_linear(${plainRange(random)}, ${random.below(1000)})`,
        () => `holt_winters(${range(random, depth - 1)}, 0.${1 + random.below(9)}, 0.${1 + random.below(9)})`,
      ])();
    case 9:
      return random.pick([
        () =>
          `label_replace(${inner()}, "${random.pick(labels)}", "x$1", "${random.pick(labels)}", "(${random.pick(patterns)})")`,
        () =>
          `label_join(${inner()}, "${random.pick(labels)}", "-", "${random.pick(labels)}", "${random.pick(labels)}")`,
        () => `clamp(${inner()}, ${number(random)}, ${number(random)})`,
        () => `clamp_min(${inner()}, ${number(random)})`,
        () => `round(${inner()}, ${number(random)})`,
      ])();
    case 10:
      return `${random.pick(['-', '+'])}${inner()}`;
    default:
      return `(${inner()})`;
  }
}

function scalar(random: Random, depth: number): string {
  return random.pick([
    () => number(random),
    () => 'time()',
    () => `scalar(${vector(random, Math.max(0, depth - 1))})`,
    () => 'pi()',
  ])();
}

function number(random: Random): string {
  return random.pick(['0', '1', '2', '0.5', '-3', '10', '1e6', 'NaN', 'Inf', '-Inf', '0.25', '1000']);
}

function binary(random: Random, depth: number): string {
  const inner = () => vector(random, depth - 1);
  const compare = random.pick(['==', '!=', '<', '>', '<=', '>=']);
  const operator = random.pick(['+', '-', '*', '/', '%', '^', compare, compare, `${compare} bool`, 'atan2']);
  switch (random.below(5)) {
    case 0:
      return `${inner()} ${operator} ${scalar(random, depth)}`;
    case 1:
      return `${scalar(random, depth)} ${operator} ${inner()}`;
    case 2:
      return `${inner()} ${random.pick(['and', 'or', 'unless'])}${matching(random)} ${inner()}`;
    case 3: {
      const grouped = random.pick([
        '',
        '',
        ' group_left',
        ' group_right',
        ` group_left (${random.pick(labels)})`,
      ]);
      const matched = grouped === '' ? matching(random) : matching(random) || ' on (instance)';
      return `${inner()} ${operator}${matched}${grouped} ${inner()}`;
    }
    default: {
      const same = inner();
      return `${same} ${operator} ${same}`;
    }
  }
}

function some(random: Random): string {
  return Array.from({ length: random.below(3) }, () => random.pick(labels)).join(', ');
}

function grouping(random: Random): string {
  return random.pick(['', ` by (${some(random)})`, ` without (${some(random)})`]);
}

function matching(random: Random): string {
  return random.pick(['', ` on (${some(random)})`, ` ignoring (${some(random)})`]);
}

function selector(random: Random): string {
  return bare(random) + shift(random);
}

function bare(random: Random): string {
  const matchers = Array.from({ length: Math.max(0, random.below(4) - 1) }, () =>
    random.below(2) === 0
      ? `${random.pick(labels)}${random.pick(['=', '!='])}"${random.pick(values)}"`
      : `${random.pick(labels)}${random.pick(['=~', '!~'])}"${random.pick(patterns)}"`,
  );
  const list = matchers.length === 0 ? '' : `{${matchers.join(',')}}`;
  return random.pick(names) + list;
}

function shift(random: Random): string {
  return random.pick([
    () => '',
    () => '',
    () => '',
    () => '',
    () => ` offset ${random.pick(['', '-'])}${random.pick(durations)}`,
    () => ` @ ${1_700_002_800 + random.below(5400)}`,
    () => ` @ ${random.pick(['start()', 'end()'])} offset ${random.pick(durations)}`,
  ])();
}

/** Without `@`, which the real one evaluates in its own way there. */
function plainRange(random: Random): string {
  return `${bare(random)}[${random.pick(durations)}]`;
}

function range(random: Random, depth: number): string {
  if (random.below(3) > 0) return `${plainRange(random)}${shift(random)}`;
  const step = random.pick(['', '10s', '13s', '1m', '2m30s']);
  return `(${vector(random, Math.max(0, depth - 1))})[${random.pick(durations)}:${step}]${shift(random)}`;
}
