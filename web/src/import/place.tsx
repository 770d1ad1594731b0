import { DraftField } from '../ui/draft-field.tsx';
import { opened, target } from './import-state.ts';
import { parseStart, startText } from './start-text.ts';

/** Where the rows go, and when the recording of a logger began. */
export function Place() {
  const { topic, streamId } = target.value;
  const found = opened.value;
  return (
    <div class="choices">
      <label>
        Topic
        <input
          type="text"
          value={topic}
          onInput={(event) => {
            target.value = { ...target.value, topic: event.currentTarget.value };
          }}
        />
      </label>
      <label>
        Stream
        <input
          type="text"
          value={streamId}
          onInput={(event) => {
            target.value = { ...target.value, streamId: event.currentTarget.value };
          }}
        />
      </label>
      {found?.kind === 'log' && (
        <DraftField
          label="Start (UTC)"
          class="start"
          value={startText(found.start)}
          onCommit={(text) => {
            const start = parseStart(text);
            if (start === undefined) return 'A time like 2026-05-31 12:30:00';
            opened.value = { ...found, start };
            return undefined;
          }}
        />
      )}
    </div>
  );
}
