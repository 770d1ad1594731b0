import { effect, signal } from '@preact/signals';
import { openStreams } from '../runs/open-streams.ts';
import { mode, plots, show, states, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import type { Plots } from './arrange.ts';
import { chosenOf } from './chosen.ts';
import { overview } from './overview.ts';
import { openParameters } from './parameters.ts';
import { rememberedPlots, rememberPlots } from './remembered.ts';

/** Whether it is not known yet what to plot: until then the page asks nobody to choose. */
export const isChoosing = signal(false);

/** Plots something of a run that is opened where none of its channels is plotted: the page opens drawn. */
export function chooseChannels(): void {
  // Who takes all plots away means it.
  let chosenFor: readonly StreamRef[] | undefined;
  /** Plots that nobody has changed: those of the address, or chosen here. */
  let unchanged: Plots | undefined;
  effect(() => {
    const open = streams.value;
    const { value: known, busy: isUnknown, error } = openParameters.value;
    const { value: seen, busy } = overview.value;
    const isOld = openStreams.value.busy || isUnknown;
    const isComing = isOld || busy || (known === undefined && error === undefined);
    isChoosing.value = chosenFor !== open && isComing;
    if (known === undefined || isOld || open.length === 0 || mode.value !== 'time') return;
    const ids = new Set(known.map(({ id }) => id));
    if (plots.value.flat().some((id) => ids.has(id))) {
      if (chosenFor !== open) unchanged = plots.value;
      if (plots.value !== unchanged) rememberPlots(open[0]!.topic, plots.value);
      chosenFor = open;
      return;
    }
    if (chosenFor === open || known.length === 0) return;
    const remembered = rememberedPlots(open[0]!.topic).filter((names) => names.every((id) => ids.has(id)));
    // What was remembered needs no look at the data.
    const sparks = busy ? undefined : seen?.sparks;
    if (remembered.length === 0 && sparks === undefined) return;
    chosenFor = open;
    const chosen =
      remembered.length > 0 || sparks === undefined ? remembered : chosenOf(known, sparks).map((id) => [id]);
    if (chosen.length === 0) return;
    const texts = known.filter(({ type, id }) => type === 'String' && chosen.flat().includes(id));
    const own = texts.map(({ id }) => id);
    show({ plots: chosen, states: [...new Set([...states.peek(), ...own])] }, 'replace');
    unchanged = plots.peek();
  });
}
