import { show, view } from '../state/view.ts';
import { TagField } from './tag-field.tsx';

/** Which tag is shown as coloured bands behind the plots. */
export function BandsChoice() {
  return (
    <TagField label="Colour by" value={view.value.bands} onName={(bands) => show({ bands }, 'replace')} />
  );
}
