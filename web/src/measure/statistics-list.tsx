import { numberText } from '../lines/reading.ts';
import type { Statistics } from './statistics-load.ts';

type Key = 'least' | 'largest' | 'mean' | 'deviation' | 'p95' | 'count';

const shown: readonly (readonly [Key, string, string])[] = [
  ['least', 'least', ''],
  ['largest', 'largest', ''],
  ['mean', 'mean', ''],
  ['deviation', 'σ', 'Standard deviation'],
  ['p95', 'P95', '95 of 100 values are not larger'],
  ['count', 'rows', ''],
];

/** Digits for the eye; all of them where one points. */
const digits = 6;

/** What the service says of one channel. */
export function StatisticsList({ own }: { own: Pick<Statistics, Key | 'p95Refusal'> }) {
  return (
    <dl class="statistics">
      {shown.map(([key, name, title]) => {
        const value = own[key];
        const refusal = key === 'p95' ? own.p95Refusal : undefined;
        const missing = refusal === undefined ? '–' : 'refused';
        const text =
          value === undefined ? missing : key === 'count' ? value : Number(value.toPrecision(digits));
        return (
          <div key={key}>
            <dt title={title}>{name}</dt>
            <dd title={value === undefined ? refusal : String(value)}>
              {typeof text === 'number' ? numberText(text) : text}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
