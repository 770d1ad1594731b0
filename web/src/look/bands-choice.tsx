import { show, view } from '../state/view.ts';
import { TagField } from '../ui/tag-field.tsx';

/** Which tag is shown as coloured bands behind the plots. */
export function BandsChoice() {
  return (
    <TagField label="Bands of tag" value={view.value.bands} onName={(bands) => show({ bands }, 'replace')} />
  );
}
