import { without } from '../channels/arrange.ts';
import type { MathChannel } from '../state/math-text.ts';
import type { View } from '../state/view-text.ts';

type Parts = Pick<View, 'math' | 'plots' | 'heights' | 'xy' | 'alignBy'>;

/** The view with a channel, in the place of one that was called `before`; a new one gets a plot of its own. */
export function withChannel(view: Parts, channel: MathChannel, before = channel.name): Parts {
  const rename = (name: string) => (name === before ? channel.name : name);
  const others = view.math.filter(({ name }) => name !== before && name !== channel.name);
  const place = view.math.findIndex(({ name }) => name === before);
  const plots = view.plots.map((names) => names.map(rename));
  const isShown = plots.flat().includes(channel.name);
  const [x, y, colour] = view.xy;
  return {
    math: place < 0 ? [...others, channel] : others.toSpliced(place, 0, channel),
    plots: isShown ? plots : [...plots, [channel.name]],
    heights: Object.fromEntries(Object.entries(view.heights).map(([name, height]) => [rename(name), height])),
    xy: [rename(x), rename(y), rename(colour)],
    alignBy: rename(view.alignBy),
  };
}

/** The view without a channel, wherever it was shown. */
export function withoutChannel(view: Parts, channel: string): Parts {
  const emptied = (name: string) => (name === channel ? '' : name);
  const [x, y, colour] = view.xy;
  return {
    math: view.math.filter(({ name }) => name !== channel),
    plots: without(view.plots, channel),
    heights: Object.fromEntries(Object.entries(view.heights).filter(([name]) => name !== channel)),
    xy: [emptied(x), emptied(y), emptied(colour)],
    alignBy: emptied(view.alignBy),
  };
}

/** A name that no channel has yet. */
export function freeName(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`Math ${number}`)) number++;
  return `Math ${number}`;
}
