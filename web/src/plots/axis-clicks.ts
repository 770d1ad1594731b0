import type uPlot from 'uplot';
import { rightSize } from './axes.ts';

/** A double click beside what is drawn: on the scale of the first unit, left, or of another one. */
export function axisClicks(units: readonly string[], onReset: (unit: string) => void): uPlot.Plugin {
  return {
    hooks: {
      ready: [
        ({ root, over }) => {
          root.addEventListener('dblclick', ({ clientX }) => {
            const { left, right } = over.getBoundingClientRect();
            const [first] = units;
            if (clientX < left && first !== undefined) onReset(first);
            const other = clientX > right ? units[1 + Math.floor((clientX - right) / rightSize)] : undefined;
            if (other !== undefined) onReset(other);
          });
        },
      ],
    },
  };
}
