import { parseTime, timeText } from '../look/time-text.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { type TimeForm, timeForms } from './cells.ts';
import { mapping } from './import-state.ts';
import type { Mapping } from './mapping.ts';

/** Where the rows go, and how the file says the time. */
export function Place() {
  const meaning = mapping.value;
  if (meaning === undefined) return null;
  const change = (part: Partial<Mapping>) => {
    mapping.value = { ...meaning, ...part };
  };
  return (
    <div class="choices">
      <label>
        Topic
        <input
          type="text"
          value={meaning.topic}
          onInput={(event) => change({ topic: event.currentTarget.value })}
        />
      </label>
      <label>
        Stream
        <input
          type="text"
          value={meaning.streamId}
          onInput={(event) => change({ streamId: event.currentTarget.value })}
        />
      </label>
      <label>
        Time in
        <select
          value={meaning.timeForm}
          onChange={(event) => change({ timeForm: event.currentTarget.value as TimeForm })}
        >
          {timeForms.map(([form, text]) => (
            <option key={form} value={form}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {meaning.timeForm !== 'iso' && (
        <DraftField
          label="counted from (UTC)"
          value={timeText(meaning.epoch)}
          onCommit={(text) => {
            const epoch = parseTime(text);
            if (epoch === undefined) return 'A time like 2026-05-31 12:30:00';
            change({ epoch });
            return undefined;
          }}
        />
      )}
    </div>
  );
}
