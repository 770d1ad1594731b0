import { show, view } from '../state/view.ts';

/** Which tag is shown as coloured bands behind the plots. */
export function BandsChoice() {
  return (
    <label class="bands">
      Bands of tag
      <input
        type="text"
        placeholder="lap"
        value={view.value.bands}
        onChange={(event) => show({ bands: event.currentTarget.value.trim() }, 'replace')}
      />
    </label>
  );
}
