import type { Status } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { show, view } from '../state/view.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { found, grouping, type Narrowing, narrowing } from './found.ts';
import { sharedKeys } from './group.ts';

const statuses: readonly Status[] = ['Open', 'Interrupted', 'Closed', 'Aborted', 'Terminated', 'SoftDeleted'];
const orders: readonly (readonly [Narrowing['orderBy'], string])[] = [
  ['lastUpdate', 'last written'],
  ['dataEnd', 'latest data'],
  ['createdAt', 'newest'],
  ['name', 'name'],
];

const topics = loaded(() => {
  const service = client.value;
  return service && afterwards((signal) => service.topics({ signal }));
});

/** Topic, order, and behind a fold what is needed less: status, location, metadata. */
export function Filters() {
  const { status, location, metadata, orderBy } = narrowing.value;
  const change = (part: Partial<Narrowing>) => {
    narrowing.value = { ...narrowing.value, ...part };
    return undefined;
  };
  const isNarrow = status !== '' || location !== '' || metadata !== '';
  return (
    <div class="filters">
      <label>
        Topic
        <select
          value={view.value.topic}
          onChange={(event) => {
            show({ topic: event.currentTarget.value }, 'replace');
          }}
        >
          <option value="">all</option>
          {(topics.value.value ?? []).map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Order
        <select
          value={orderBy}
          onChange={(event) => change({ orderBy: event.currentTarget.value as Narrowing['orderBy'] })}
        >
          {orders.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <details open={isNarrow}>
        <summary>More filters</summary>
        <label>
          Group by
          <select
            value={grouping.value}
            onChange={(event) => {
              grouping.value = event.currentTarget.value;
            }}
          >
            <option value="">nothing</option>
            <option value="day">day</option>
            {sharedKeys(found.value.value ?? []).map((key) => (
              <option key={key} value={`=${key}`}>
                {key}
              </option>
            ))}
          </select>
        </label>
        <label>
          Status
          <select
            value={status}
            onChange={(event) => change({ status: event.currentTarget.value as Status | '' })}
          >
            <option value="">any but deleted</option>
            {statuses.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <DraftField
          label="Location"
          placeholder="/factory/line-1"
          value={location}
          onCommit={(location) => change({ location })}
        />
        <DraftField
          label="Metadata"
          placeholder="key=value"
          value={metadata}
          onCommit={(metadata) => change({ metadata })}
        />
      </details>
    </div>
  );
}
