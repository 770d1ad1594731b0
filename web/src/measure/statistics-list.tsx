import { shownText } from '../lines/conversions.ts';
import { namedText } from '../lines/value-names.ts';
import type { Statistics } from './statistics-load.ts';

type Key = 'least' | 'largest' | 'mean' | 'deviation' | 'p95' | 'count' | 'slope';

const shown: readonly (readonly [Key, string, string])[] = [
  ['least', 'least', ''],
  ['largest', 'largest', ''],
  ['mean', 'mean', ''],
  ['deviation', 'σ', 'Standard deviation'],
  ['p95', 'P95', '95 of 100 values are not larger'],
  ['count', 'rows', ''],
  ['slope', 'slope per s', 'Of the straight line that fits best'],
];

/** Digits for the eye, of how far values lie apart; all of them where one points. */
const digits = 6;
/** Doubles have no more. */
const mostDigits = 17;

/** Where a row is, as there is room to say it and as a whole, and the way there. */
export interface Place {
  readonly short: string;
  readonly whole: string;
  readonly go: () => void;
}

/** What the service says of one channel; `placeOf` says where the least and the largest value are. */
export function StatisticsList({
  own,
  placeOf,
}: {
  own: Pick<Statistics, Key | 'p95Refusal' | 'parameter' | 'leastAt' | 'largestAt'>;
  placeOf: (time: bigint) => Place | undefined;
}) {
  const nameOf = (key: Key, value: number | undefined): string | undefined =>
    value !== undefined && (key === 'least' || key === 'largest')
      ? namedText(own.parameter, value)
      : undefined;
  const numberOf = (key: Key, value: number): string => {
    if (key === 'count') return String(value);
    const known = key === 'deviation' || key === 'slope' ? digits : digitsOf(own);
    return shownText(own.parameter, Number(value.toPrecision(known)));
  };
  return (
    <dl class="statistics">
      {shown.map(([key, label, title]) => {
        const value = own[key];
        const refusal = key === 'p95' ? own.p95Refusal : undefined;
        const at = key === 'least' || key === 'largest' ? own[`${key}At`] : undefined;
        const name = nameOf(key, value);
        const missing = refusal === undefined ? '–' : 'refused';
        return (
          <div key={key}>
            <dt title={title}>{label}</dt>
            <dd title={value === undefined ? refusal : shownText(own.parameter, value)}>
              <span class={name === undefined ? 'number' : ''}>
                {value === undefined ? missing : (name ?? numberOf(key, value))}
              </span>
              {at !== undefined && <WayTo name={`${label} of ${own.parameter}`} place={placeOf(at)} />}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function WayTo({ name, place }: { name: string; place: Place | undefined }) {
  if (place === undefined) return null;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`${place.short}: go to ${name}`}
      title={`Go there: ${place.whole}`}
      onClick={place.go}
    >
      {place.short}
    </button>
  );
}

/** Large values that lie close to each other need more digits: what they have in common tells nothing. */
function digitsOf({ least, largest }: Pick<Statistics, Key>): number {
  if (least === undefined || largest === undefined) return digits;
  const size = Math.max(Math.abs(least), Math.abs(largest));
  const common = Math.floor(Math.log10(size / (largest - least)));
  return common > 0 ? Math.min(mostDigits, digits + common) : digits;
}
