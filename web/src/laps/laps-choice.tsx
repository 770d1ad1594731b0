import { openParameters } from '../channels/parameters.ts';
import { openTags } from '../runs/open-tags.ts';
import { sourceOf, sourceText } from '../state/lap-source.ts';
import { show } from '../state/view.ts';
import type { LapSource } from '../state/view-text.ts';
import { fractionOfCount, isLapSourceComing, lapSource } from './lap-source.ts';

/** What laps are counted by: a tag, a channel, or nothing. */
export function LapsChoice({ source, none }: { source: LapSource; none: string }) {
  const tags = (openTags.value.value ?? []).map(({ name }): LapSource => ({ kind: 'tag', name }));
  const channels = (openParameters.value.value ?? []).flatMap(({ type, id }): LapSource[] =>
    type === 'Numeric' ? [{ kind: 'channel', name: id }] : [],
  );
  const chosen = sourceText(source);
  const isKnown = source.kind === 'none' || [...tags, ...channels].some((own) => sourceText(own) === chosen);
  const group = (label: string, sources: readonly LapSource[]) =>
    sources.length > 0 && (
      <optgroup label={label}>
        {sources.map((own) => (
          <option key={own.name} value={sourceText(own)}>
            {own.name} ({own.kind})
          </option>
        ))}
      </optgroup>
    );
  return (
    <label class="laps-by">
      Laps by
      <select
        value={chosen}
        title="A tag of the rows, or a channel that counts laps"
        onChange={({ currentTarget: { value } }) =>
          show({ lapsBy: sourceOf(value), overlayValues: [], picks: [] })
        }
      >
        {!isKnown && (
          <option value={chosen}>
            {source.name} ({source.kind})
          </option>
        )}
        <option value="none">{none}</option>
        {group('Tags', tags)}
        {group('Channels', channels)}
      </select>
    </label>
  );
}

/** What the laps of the list are counted by, and what is odd about it. */
export function LapsHead() {
  const source = lapSource.value;
  const fraction = fractionOfCount.value;
  return (
    <>
      <LapsChoice source={source} none={isLapSourceComing.value ? 'looking for laps…' : 'none: runs'} />
      {fraction !== undefined && (
        <p class="soft">
          {source.name} has values that are not whole numbers ({fraction}): laps are by their whole part.
        </p>
      )}
    </>
  );
}
