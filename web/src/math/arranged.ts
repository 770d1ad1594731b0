import { without } from '../channels/arrange.ts';
import { channelParts, quotedName } from '../lines/expression.ts';
import type { MathChannel } from '../state/math-text.ts';
import type { View } from '../state/view-text.ts';

/** Where a view names channels. */
export type Parts = Pick<
  View,
  'math' | 'plots' | 'heights' | 'scales' | 'states' | 'xy' | 'histogram' | 'map' | 'alignBy'
>;

export function partsOf(view: View): Parts {
  const { math, plots, heights, scales, states, xy, histogram, map, alignBy } = view;
  return { math, plots, heights, scales, states, xy, histogram, map, alignBy };
}

/** The view with a channel, in the place of one that was called `before`; a new one gets a plot of its own. */
export function withChannel(view: Parts, channel: MathChannel, before = channel.name): Parts {
  const rename = (name: string) => (name === before ? channel.name : name);
  const others = view.math
    .filter(({ name }) => name !== before && name !== channel.name)
    .map((other) => ({ ...other, expression: renamedIn(other.expression, before, channel.name) }));
  const place = view.math.findIndex(({ name }) => name === before);
  const plots = view.plots.map((names) => names.map(rename));
  const isShown = plots.flat().includes(channel.name);
  return {
    math: place < 0 ? [...others, channel] : others.toSpliced(place, 0, channel),
    plots: isShown ? plots : [...plots, [channel.name]],
    heights: keysAs(view.heights, rename),
    scales: keysAs(view.scales, rename),
    states: view.states.map(rename),
    xy: threeAs(view.xy, rename),
    histogram: rename(view.histogram),
    map: view.map && threeAs(view.map, rename),
    alignBy: rename(view.alignBy),
  };
}

/** The view without a channel, wherever it was shown. */
export function withoutChannel(view: Parts, channel: string): Parts {
  const emptied = (name: string) => (name === channel ? '' : name);
  return {
    math: view.math.filter(({ name }) => name !== channel),
    plots: without(view.plots, channel),
    heights: keysWithout(view.heights, channel),
    scales: keysWithout(view.scales, channel),
    states: view.states.filter((name) => name !== channel),
    xy: threeAs(view.xy, emptied),
    histogram: emptied(view.histogram),
    map: view.map && threeAs(view.map, emptied),
    alignBy: emptied(view.alignBy),
  };
}

/** An expression in which a channel has another name. */
function renamedIn(expression: string, before: string, after: string): string {
  let whole = '';
  let end = 0;
  for (const part of channelParts(expression)) {
    if (before === after || part.text !== before) continue;
    whole += expression.slice(end, part.start) + quotedName(after);
    end = part.end;
  }
  return whole + expression.slice(end);
}

type Rename = (name: string) => string;

function threeAs([x, y, colour]: readonly [string, string, string], as: Rename): [string, string, string] {
  return [as(x), as(y), as(colour)];
}

function keysAs<Value>(values: Readonly<Record<string, Value>>, as: Rename): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [as(name), value]));
}

function keysWithout<Value>(values: Readonly<Record<string, Value>>, key: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}

/** A name that no channel has yet. */
export function freeName(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`Math ${number}`)) number++;
  return `Math ${number}`;
}
