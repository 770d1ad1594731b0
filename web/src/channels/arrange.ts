/** Plots from top to bottom, each with the parameters that it shows. */
export type Plots = readonly (readonly string[])[];

/** The plots without a parameter, and without a plot that it leaves empty. */
export function without(plots: Plots, parameter: string): Plots {
  return plots
    .map((parameters) => parameters.filter((name) => name !== parameter))
    .filter((parameters) => parameters.length > 0);
}

/** A parameter in the plot that shows another one. */
export function joined(plots: Plots, parameter: string, other: string): Plots {
  if (parameter === other) return plots;
  return without(plots, parameter).map((parameters) =>
    parameters.includes(other) ? [...parameters, parameter] : parameters,
  );
}

/** A parameter in a plot of its own, below the one that it was in. */
export function apart(plots: Plots, parameter: string): Plots {
  return plots.flatMap((parameters) =>
    parameters.includes(parameter) && parameters.length > 1
      ? [parameters.filter((name) => name !== parameter), [parameter]]
      : [parameters],
  );
}

/** The plot of a parameter moved up (-1) or down (1) by one; at the ends it stays. */
export function moved(plots: Plots, parameter: string, by: -1 | 1): Plots {
  const place = plots.findIndex((parameters) => parameters.includes(parameter));
  const other = plots[place + by];
  if (place < 0 || other === undefined) return plots;
  return plots.with(place + by, plots[place]!).with(place, other);
}

/** What a channel is called while it is dragged. */
export const channelType = 'text/x-pitwall-channel';

/** A parameter in the plot that shows another one, wherever it was before, if anywhere. */
export function together(plots: Plots, parameter: string, other: string): Plots {
  const isShown = plots.some((parameters) => parameters.includes(parameter));
  return joined(isShown ? plots : [...plots, [parameter]], parameter, other);
}
