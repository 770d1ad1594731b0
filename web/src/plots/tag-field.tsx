import { countingChannels } from '../channels/counting-channels.ts';
import { openParameters } from '../channels/parameters.ts';
import { openTags } from '../runs/open-tags.ts';
import { DraftField } from '../ui/draft-field.tsx';

/** The name of a tag, with those that rows of the open runs have, and channels that count laps, as suggestions. */
export function TagField({
  label,
  value,
  onName,
}: {
  label: string;
  value: string;
  onName: (name: string) => void;
}) {
  const counting = countingChannels(openParameters.value.value ?? []);
  const tags = openTags.value.value?.map(({ name }) => name);
  const names = tags && [...tags, ...counting.filter((name) => !tags.includes(name))];
  const isNone = names?.length === 0;
  return (
    <DraftField
      label={label}
      class="tag-field"
      placeholder={isNone ? 'no tags' : (names?.[0] ?? '')}
      title={isNone ? 'No row has a tag' : undefined}
      suggestions={names ?? []}
      value={value}
      onCommit={(name) => {
        onName(name);
        return undefined;
      }}
    />
  );
}
