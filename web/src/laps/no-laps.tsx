import { openParameters } from '../channels/parameters.ts';
import { openTags } from '../runs/open-tags.ts';
import { countsLaps } from './lap-names.ts';

/** Says that no tag counts laps, and what to do about it: most of all where a channel counts them. */
export function NoLaps() {
  const counting = openParameters.value.value?.find(({ type, id }) => type === 'Numeric' && countsLaps(id));
  const hasTags = (openTags.value.value ?? []).length > 0;
  return (
    <>
      <p class="soft">
        No tag counts laps here
        {hasTags ? '; another one can be chosen under Distance.' : ': no row has a tag.'}
      </p>
      {counting !== undefined && (
        <p class="soft">
          The channel <b>{counting.name}</b> seems to, but laps are the values of a tag. Export this run as
          CSV, import the file as another run, and choose there that {counting.id} becomes a tag. Or write the
          lap as a tag of each row: <code>{`"tagValues": {"lap": ["1", …]}`}</code>.
        </p>
      )}
    </>
  );
}
