import { DraftField } from '../ui/draft-field.tsx';
import { seenTags } from './event-load.ts';

/** Names that tags often have. */
const usual = ['lap', 'run', 'batch', 'session', 'driver', 'phase'];

/** The name of a tag, with suggestions: those that events here have come first. */
export function TagField({
  label,
  value,
  onName,
}: {
  label: string;
  value: string;
  onName: (name: string) => void;
}) {
  return (
    <DraftField
      label={label}
      class="tag-field"
      placeholder={seenTags.value[0] ?? 'lap'}
      suggestions={[...new Set([...seenTags.value, ...usual])]}
      value={value}
      onCommit={(name) => {
        onName(name);
        return undefined;
      }}
    />
  );
}
