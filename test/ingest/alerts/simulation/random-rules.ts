import type { Random } from '../../../store/embedded/random.ts';
import type { PlainFilter, PlainRule } from './plain-rule.ts';

/** What kind of rules and rows a round has. */
export interface Kinds {
  /** Rows of one time with several tags, values that are no numbers, and rules of rows; else rules along them. */
  readonly hasTies: boolean;
}

export const ruleNames = ['hot', 'cold', 'wet', 'a long name'];
export const calculatedNames = ['x', 'y'];

const ofRows = [
  'a > 5',
  'a - 5',
  'a != a',
  'a > 3 && b > 3',
  'a > 6 || b > 6',
  'a > 5 ? b > 2 : b > 7',
  '!(a > 4)',
  'abs(a - b) >= 4',
  'max(a, b) > 7',
  'a % 3 == 0',
  'b / a > 1',
  '"odd name" > 4',
  'x > 8',
  'y',
  'x > 4 && a > 2',
  '-a < -5',
];

const alongRows = [
  'derivative(a) > 1.03e9',
  'difference(a) > 2',
  "movingMean(a, '5ns') > 5",
  "movingMax(a, '4ns') - movingMin(b, '7ns') > 3",
  "lowpass(a, '3ns') > 5",
  'a > fill(b)',
  'fill(a) > 5 && fill(b) > 3',
  'fill(x) > 8',
  'previous(a) > 5',
  'previous(y)',
  'sum(a - 4.5) > 2.1',
  'integral(a - 4.5) > 1.1e-9',
  "movingMean(derivative(fill(a)), '6ns') > 1.03e8",
];

const definitions: Readonly<Record<string, readonly string[]>> = {
  x: ['a + b', 'a * 2', 'b - 1', "over(sum(a), 'tag')"],
  y: ['x > 8', 'a > 6', 'x - b > 2'],
};
const definitionsAlong: Readonly<Record<string, readonly string[]>> = {
  x: ['previous(a) + b', 'fill(b) + fill(a)'],
  y: ['difference(x) > 1', 'difference(a) > 1'],
};

export function randomDefinition(random: Random, { hasTies }: Kinds, id: string): string {
  return random.pick([...definitions[id]!, ...(hasTies ? [] : definitionsAlong[id]!)]);
}

/** A rule keeps its webhook: what waits of one without is forgotten at some time. */
export function randomRule(random: Random, kinds: Kinds, name: string, streamIds: readonly string[]) {
  const expression = () => random.pick(kinds.hasTies || random.chance(0.5) ? ofRows : alongRows);
  const filter = random.chance(0.6) ? undefined : randomFilter(random, streamIds);
  const rule: PlainRule = {
    expression: expression(),
    ...(random.chance(0.4) && { clear: expression() }),
    forNs: random.pick([0n, 0n, 1n, 2n, 5n, 12n, 30n]),
    ...(random.chance(0.4) && { noDataForMs: random.pick([1000, 60_000]) }),
    ...(filter && { streams: filter }),
    ...(random.chance(0.3) && { level: random.pick(['Warning', 'Critical']) }),
    ...(random.chance(0.3) && { text: random.pick(['one', 'two']) }),
    ...(name === 'wet' && { webhook: `http://127.0.0.1:${random.int(1, 3)}/` }),
  };
  return rule;
}

function randomFilter(random: Random, streamIds: readonly string[]): PlainFilter {
  const choices: readonly PlainFilter[] = [
    { streamIds: [random.pick(streamIds), random.pick(streamIds)] },
    { streamIds: [] },
    { location: random.pick(['/one', '/one/', '/two/']) },
    { metadata: [random.pick([{ key: 'car', value: '7' }, { key: 'car' }, { value: '7' }])] },
    { name: random.pick(['s', 'S', 's1', 'new', 'The']) },
    { parentStreamId: 's0' },
    { search: random.pick(['7', 'one s', 'THE CAR', 's1']) },
  ];
  return random.chance(0.7) ? random.pick(choices) : { ...random.pick(choices), ...random.pick(choices) };
}

/** As it is put. */
export function ruleJson({ forNs, noDataForMs, webhook, ...others }: PlainRule): object {
  return {
    ...others,
    ...(forNs > 0n && { for: `${forNs}ns` }),
    ...(noDataForMs !== undefined && { noDataFor: `${noDataForMs}ms` }),
    ...(webhook !== undefined && { webhook: { url: webhook } }),
  };
}
