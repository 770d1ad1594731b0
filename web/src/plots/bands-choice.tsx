import { bandsTag, show } from '../state/view.ts';
import { isBandsUnknown, marks } from './mark-load.ts';
import { TagField } from './tag-field.tsx';

/** Which tag is shown as coloured bands behind the plots. */
export function BandsChoice() {
  const bands = bandsTag.value;
  const isCrowded = bands !== '' && marks.value.value?.isCrowded === true;
  return (
    <>
      <TagField label="Colour by" value={bands} onName={(name) => show({ bands: name }, 'replace')} />
      <span class="soft" role="status">
        {isCrowded && 'Too many values: zoom in to see colours.'}
        {isBandsUnknown.value && `No open run has the tag or channel “${bands}”.`}
      </span>
    </>
  );
}
