import { useId } from 'preact/hooks';
import { areOfChannels } from '../channels/looks.ts';
import { inOtherUnits } from '../channels/other-units.ts';
import { openParameters } from '../channels/parameters.ts';
import { colourAt, colourNames, lookIn } from '../lines/colours.ts';
import { unitsLike } from '../lines/units.ts';
import { type ChannelLook, widths } from '../state/looks.ts';
import { chosenLooks, chosenUnits, show, states, view } from '../state/view.ts';

/** Colour, width, kind of line and unit of a channel: chosen here, or by themselves. */
export function LookFields({ parameter, mayBeStates }: { parameter: string; mayBeStates: boolean }) {
  const look = lookIn(chosenLooks.value, parameter);
  const isStates = states.value.includes(parameter);
  return (
    <>
      {areOfChannels.value && !isStates && <Colours parameter={parameter} look={look} />}
      {!isStates && (
        <label class="choice">
          Width
          <select
            value={look.width ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setLook(parameter, { width: (value || undefined) as ChannelLook['width'] })
            }
          >
            <option value="">usual</option>
            {widths.map((width) => (
              <option key={width}>{width}</option>
            ))}
          </select>
        </label>
      )}
      <label class="choice">
        Drawn as
        <select
          value={isStates ? 'states' : (look.drawn ?? '')}
          onChange={({ currentTarget: { value } }) => setDrawn(parameter, value)}
        >
          <option value="">by itself</option>
          <option>line</option>
          <option>steps</option>
          {mayBeStates && <option>states</option>}
        </select>
      </label>
      <Units parameter={parameter} />
    </>
  );
}

function Colours({ parameter, look: { colour } }: { parameter: string; look: ChannelLook }) {
  const name = useId();
  const choice = (own: number | undefined, title: string) => (
    <label key={title} title={title} class="colour-choice">
      <input
        type="radio"
        name={name}
        checked={colour === own}
        onChange={() => setLook(parameter, { colour: own })}
      />
      {own === undefined ? (
        <span>auto</span>
      ) : (
        <span class="colour" style={{ background: colourAt(own) }}>
          <span class="unseen">{title}</span>
        </span>
      )}
    </label>
  );
  return (
    <fieldset class="colours">
      <legend>Colour</legend>
      {choice(undefined, 'by itself')}
      {colourNames.map((title, own) => choice(own, title))}
    </fieldset>
  );
}

function Units({ parameter }: { parameter: string }) {
  const entry = openParameters.value.value?.find(({ id }) => id === parameter);
  const others = entry === undefined ? [] : unitsLike(entry.ownUnit);
  if (entry === undefined || others.length < 2) return null;
  const isForAll = chosenUnits.value.some((unit) => others.includes(unit));
  const choose = (unit: string, toAll: boolean) => {
    const kept = chosenUnits.value.filter((own) => !others.includes(own));
    const { [parameter]: old = {}, ...rest } = chosenLooks.value;
    const { unit: _, ...look } = old;
    const own = toAll || unit === entry.ownUnit ? look : { ...look, unit };
    change({
      looks: Object.keys(own).length === 0 ? rest : { ...rest, [parameter]: own },
      units: toAll ? [...kept, unit] : kept,
    });
  };
  return (
    <>
      <label class="choice">
        Unit
        <select value={entry.unit} onChange={({ currentTarget: { value } }) => choose(value, isForAll)}>
          {others.map((unit) => (
            <option key={unit} value={unit}>
              {unit}
              {unit === entry.ownUnit && ' (as written)'}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        <input
          type="checkbox"
          checked={isForAll}
          onChange={({ currentTarget: { checked } }) => choose(entry.unit, checked)}
        />
        for all channels of this kind
      </label>
    </>
  );
}

function setDrawn(parameter: string, value: string): void {
  const others = states.value.filter((name) => name !== parameter);
  if (value === 'states') show({ states: [...others, parameter] });
  else
    show({
      states: others,
      looks: looksWith(parameter, { drawn: (value || undefined) as ChannelLook['drawn'] }),
    });
}

/** What is undefined goes by itself again. */
type LookChange = { readonly [Key in keyof ChannelLook]?: ChannelLook[Key] | undefined };

function setLook(parameter: string, look: LookChange): void {
  show({ looks: looksWith(parameter, look) });
}

/** All looks, with what was chosen of one. */
function looksWith(parameter: string, look: LookChange): Record<string, ChannelLook> {
  const { [parameter]: old, ...others } = chosenLooks.value;
  const own = Object.fromEntries(
    Object.entries({ ...old, ...look }).filter(([, value]) => value !== undefined),
  );
  return Object.keys(own).length === 0 ? others : { ...others, [parameter]: own as ChannelLook };
}

function change(own: Parameters<typeof inOtherUnits>[2]): void {
  show(inOtherUnits(view.value, openParameters.value.value ?? [], own));
}
