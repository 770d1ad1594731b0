import { useId } from 'preact/hooks';
import { seenTags } from '../look/event-load.ts';

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
  const list = useId();
  return (
    <label class="tag-field">
      {label}
      <input
        type="text"
        list={list}
        placeholder={seenTags.value[0] ?? 'lap'}
        value={value}
        onChange={(event) => onName(event.currentTarget.value.trim())}
      />
      <datalist id={list}>
        {[...new Set([...seenTags.value, ...usual])].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
