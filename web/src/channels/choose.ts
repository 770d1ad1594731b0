import { effect, signal } from '@preact/signals';
import { extentOf, openStreams } from '../runs/open-streams.ts';
import { isStream } from '../state/same-stream.ts';
import { mode, plots, show, states, streams } from '../state/view.ts';
import type { StreamRef, View } from '../state/view-text.ts';
import { chosenOf } from './chosen.ts';
import { type LastView, seenAgain, seenOverTime } from './last-view.ts';
import { areStates } from './named-values.ts';
import { overview } from './overview.ts';
import { openParameters } from './parameters.ts';
import { lastView, openView, rememberedView, rememberView } from './remembered.ts';
import type { Spark } from './spark.ts';

/** Whether it is not known yet what to plot: until then the page asks nobody to choose. */
export const isChoosing = signal(false);

/** Grows when it is to be chosen once more for the runs that are open. */
const wishes = signal(0);

/** Plots what says most, also of runs that are open already: for who takes the plots away with it. */
export function chooseAnew(): void {
  wishes.value++;
}

const noSparks: ReadonlyMap<string, Spark> = new Map();

/** Plots something of a run that is opened where none of its channels is plotted: the page opens drawn. */
export function chooseChannels(): void {
  // Who takes all plots away means it.
  let chosenFor: readonly StreamRef[] | undefined;
  let heard = wishes.peek();
  /** Runs for which it was wished for. */
  let wishedFor: readonly StreamRef[] | undefined;
  /** What nobody has changed: that of the address, or chosen here. */
  let unchanged: LastView | undefined;
  const openNow = ([first]: readonly StreamRef[]) => {
    unchanged = lastView.value;
    openView(first!.topic, unchanged);
  };
  effect(() => {
    const open = streams.value;
    if (heard !== wishes.value) {
      chosenFor = undefined;
      wishedFor = open;
    }
    heard = wishes.value;
    const { value: known, busy: isUnknown, error } = openParameters.value;
    const { value: seen, busy } = overview.value;
    const isListing = openStreams.value.busy || isUnknown;
    isChoosing.value =
      chosenFor !== open && (isListing || busy || (known === undefined && error === undefined));
    // What could not be read may be of the runs before.
    const isOld = isListing || error !== undefined || openStreams.value.error !== undefined;
    if (known === undefined || isOld || open.length === 0) return;
    const ids = new Set(known.map(({ id }) => id));
    if (plots.value.flat().some((id) => ids.has(id))) {
      if (chosenFor !== open) openNow(open);
      if (lastView.value !== unchanged) rememberView(open[0]!.topic, lastView.value);
      chosenFor = open;
      return;
    }
    if (chosenFor === open || known.length === 0 || mode.value !== 'time') return;
    const remembered = rememberedFor(open, ids, wishedFor !== open);
    // What was remembered needs no look at the data.
    const hasNumbers = known.some(({ type }) => type === 'Numeric');
    const isSeen = !busy && seen !== undefined && isStream(seen.stream, open[0]!);
    const sparks = hasNumbers ? (isSeen ? seen.sparks : undefined) : noSparks;
    if (remembered === undefined && sparks === undefined) return;
    const chosen =
      remembered !== undefined || sparks === undefined
        ? (remembered?.plots ?? [])
        : chosenOf(known, sparks).map((id) => [id]);
    // More may come.
    if (chosen.length === 0) return;
    chosenFor = open;
    const texts = known.filter(
      ({ type, id, names }) => (type === 'String' || areStates(names)) && chosen.flat().includes(id),
    );
    // What was remembered says itself which numbers are states.
    const own = texts.filter(({ type }) => remembered === undefined || type === 'String').map(({ id }) => id);
    const seenStates = [...(remembered?.states ?? states.peek()), ...own];
    show({ ...remembered, plots: chosen, states: [...new Set(seenStates)] }, 'settle');
    openNow(open);
  });
}

/**
 * What was remembered of the topic of the open runs, with the plots whose channels are there; undefined where none are. Whoever
 * wishes for another choice sees all of the runs over time. A range without data is none.
 */
function rememberedFor(
  open: readonly StreamRef[],
  ids: ReadonlySet<string>,
  isOpened: boolean,
): (Partial<View> & Pick<View, 'plots'>) | undefined {
  const kept = rememberedView(open[0]!.topic);
  if (kept === undefined) return undefined;
  const own = new Set(kept.math.map(({ name }) => name));
  const known = kept.plots.filter((names) => names.every((id) => ids.has(id) || own.has(id)));
  if (known.length === 0) return undefined;
  if (!isOpened) return { ...seenOverTime(kept), plots: known };
  const again = seenAgain(kept, open);
  const { range } = again;
  const extent = extentOf(openStreams.peek().value ?? []);
  const isThere = range && extent && range.from <= extent.to && range.to >= extent.from;
  return { ...again, range: isThere ? range : undefined, plots: known };
}
