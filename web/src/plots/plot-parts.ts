import { useMemo } from 'preact/hooks';
import { limitsOf } from '../channels/limits.ts';
import { areSteps, channelLook } from '../channels/looks.ts';
import { namesOf } from '../channels/named-values.ts';
import { sparkOf } from '../channels/sparks.ts';
import { lookIn, looksOfRuns } from '../lines/colours.ts';
import { isDark } from '../lines/scheme.ts';
import { mayBeStates, statesOf } from '../lines/states.ts';
import type { Trace, TraceLoad } from '../lines/traces.ts';
import { valueName } from '../lines/value-names.ts';
import { streamName } from '../runs/stream-name.ts';
import { chosenLooks, states, streams } from '../state/view.ts';
import { unitOf } from './axes.ts';
import { isLogAxis } from './axis-scales.ts';
import type { DrawnLine } from './draw-points.ts';
import type { Strip } from './draw-strips.ts';
import { runOf } from './run-of.ts';

/** What one plot draws. */
export interface PlotParts {
  /** Those of its lines, in their order, then those of its strips. */
  readonly traces: readonly Trace[];
  readonly lines: readonly DrawnLine[];
  readonly strips: readonly Strip[];
  /** Of its parameters those that are states, or may be. */
  readonly mayBeStates: readonly string[];
}

/** Whether a trace is drawn as a strip. */
export function isStrip({ parameter, texts }: Trace): boolean {
  return texts !== undefined || states.value.includes(parameter);
}

/** The parts of the plot of some parameters; the same while nothing of them changes. */
export function usePlotParts(load: TraceLoad, parameters: readonly string[]): PlotParts {
  const shared = JSON.stringify([
    parameters.map((name) => [
      unitOf(name),
      limitsOf(name),
      channelLook(name),
      lookIn(chosenLooks.value, name),
    ]),
    parameters.map((name) => sparkOf(name) !== undefined),
    states.value,
    parameters.map((name) => [namesOf(name), isLogAxis(name)]),
    streams.value,
  ]);
  const own = load.traces.filter(({ parameter }) => parameters.includes(parameter));
  return useMemo(() => {
    const drawn = own.filter((trace) => !isStrip(trace));
    const along = own.filter(isStrip);
    const runs = streams.value.length;
    const looks =
      runs > 1
        ? looksOfRuns(
            drawn.map(({ parameter, stream }) => ({ parameter, run: runOf(stream) })),
            runs,
          )
        : drawn.map(({ parameter }) => channelLook(parameter));
    return {
      traces: [...drawn, ...along],
      lines: drawn.map(({ points, parameter }, i) => ({
        ...looks[i]!,
        points,
        unit: unitOf(parameter),
        limits: limitsOf(parameter),
        isSteps: areSteps(parameter, points),
        isLog: isLogAxis(parameter),
        ...widthOf(parameter),
      })),
      strips: along.map((trace) => ({
        name: streams.value.length > 1 ? streamName(trace.stream) : trace.parameter,
        states: statesOf({ ...trace, nameOf: (value) => valueName(trace.parameter, value) }),
      })),
      mayBeStates: parameters.filter((name) =>
        own.some((trace) => trace.parameter === name && trace.texts === undefined && isFew(trace)),
      ),
    };
  }, [parameters, isDark.value, shared, ...own]);
}

function widthOf(parameter: string): Pick<DrawnLine, 'width'> {
  const { width } = lookIn(chosenLooks.value, parameter);
  return width === undefined ? {} : { width };
}

function isFew(trace: Trace): boolean {
  return isStrip(trace) || mayBeStates(trace.points);
}
