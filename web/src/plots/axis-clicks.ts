import type uPlot from 'uplot';

/** A double click beside what is drawn: on the scale of the first unit, left, or of the second. */
export function axisClicks(units: readonly string[], onReset: (unit: string) => void): uPlot.Plugin {
  return {
    hooks: {
      ready: [
        ({ root, over }) => {
          root.addEventListener('dblclick', ({ clientX }) => {
            const { left, right } = over.getBoundingClientRect();
            const [first, second] = units;
            if (clientX < left && first !== undefined) onReset(first);
            if (clientX > right && second !== undefined) onReset(second);
          });
        },
      ],
    },
  };
}
